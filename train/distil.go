package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"dojo/data"
	"dojo/engine"
	"dojo/internal/detmath"
	"dojo/internal/parallel"
	"dojo/model"
	"dojo/model/graph"
	"dojo/run"
)

// Distillation trains a small network, the student, to answer as a trained one, the
// teacher (Hinton et al. 2015). Its positions are those of the teacher's run, and
// others a few random actions away, as a search meets them. The student learns the
// teacher's policy and value there, not how the game went.
//
// Teacher and student may encode the same game differently, with other planes and
// other numbers of actions: positions are matched by their text, and actions by their
// names.
type Distillation struct {
	Folder  run.Folder // the run whose shards have the positions
	Teacher *model.Checkpoint
	From    engine.Game   // as the teacher sees it
	To      engine.Game   // as the student sees it
	Network model.Network // the student's

	Positions int     // the largest number of the run's positions to use; the newest are
	Wander    int     // random actions played from each; every one gives another position
	Passes    float64 // how often each position is trained on
	Optimiser graph.Config
	Rate      float32 // the first learning rate; it falls to 0 along a cosine
	Seed      uint64
	Workers   int
	Version   string // of the program, for the student's metadata

	// Progress is called at the start of each stage, with the number of its steps,
	// and returns the function that is called after steps.
	Progress func(stage string, total int) func(done int, note string)
}

// DefaultDistillation suits a run of some hundred thousand positions and takes a few
// minutes. The caller fills in what is to be learnt from what.
func DefaultDistillation() Distillation {
	o := graph.Default()
	o.Batch, o.WeightDecay = 1024, 1e-4
	return Distillation{Positions: 250_000, Wander: 3, Passes: 5, Optimiser: o, Rate: 0.002, Seed: 1}
}

// Run returns the student. The same distillation gives the same student.
func (d Distillation) Run(ctx context.Context) (*model.Checkpoint, error) {
	c, err := d.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("distil: %w", err)
	}
	return c, nil
}

func (d Distillation) run(ctx context.Context) (*model.Checkpoint, error) {
	texts, err := d.positions()
	if err != nil {
		return nil, err
	}
	samples, err := d.label(ctx, texts)
	if err != nil {
		return nil, err
	}
	student := model.NewCheckpoint(model.Meta{
		Game: d.To.Name, SpecVersion: d.To.Version, Name: "student", Parent: d.Teacher.Name + " " + d.Teacher.Hash(),
		Seed: d.Seed, ProgramVersion: d.Version, Search: d.Teacher.Search,
	}, d.Network.For(d.To.Spec), rand.New(rand.NewPCG(d.Seed, streamInit)))
	trainer, err := graph.New(student.Network, d.Optimiser, d.Workers)
	if err != nil {
		return nil, err
	}
	defer trainer.Close()
	if err := trainer.SetWeights(student); err != nil {
		return nil, err
	}
	s := newSampler(d.To, samples, rand.New(rand.NewPCG(d.Seed, streamFit)), d.Workers)
	steps := int(math.Ceil(d.Passes * float64(len(samples)) / float64(d.Optimiser.Batch)))
	report := d.Progress("distil", steps)
	b := trainer.NewBatch()
	for i := range steps {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		s.fill(b)
		l, err := trainer.Step(b, d.Rate*float32(1+detmath.Cos(math.Pi*float64(i)/float64(steps)))/2)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i, err)
		}
		report(i+1, fmt.Sprintf("policy %.3f value %.3f", l.Heads["policy"], l.Heads["value"]))
	}
	student.Tensors, student.Step = trainer.Average(), steps
	return student, nil
}

// positions returns the texts of the newest positions of the run, each once.
func (d Distillation) positions() ([]string, error) {
	shards, err := d.Folder.Shards()
	if err != nil {
		return nil, err
	}
	var texts []string
	seen := map[string]bool{}
	for i := len(shards) - 1; i >= 0 && len(texts) < d.Positions; i-- {
		p, rows, err := data.ReadShard(shards[i].Path)
		if err != nil {
			return nil, err
		}
		if p.Game != d.From.Name {
			return nil, fmt.Errorf("shard %s is of %s, not %s", shards[i].Path, p.Game, d.From.Name)
		}
		for _, r := range rows {
			if !seen[r.Position] && len(texts) < d.Positions {
				seen[r.Position] = true
				texts = append(texts, r.Position)
			}
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("run %s has no samples", d.Folder)
	}
	return texts, nil
}

// label returns samples of the positions, and of those some random actions away, with
// the teacher's answers as targets.
func (d Distillation) label(ctx context.Context, texts []string) ([]sample, error) {
	report := d.Progress("label", len(texts))
	evaluator, err := d.Teacher.Evaluator(model.Best)
	if err != nil {
		return nil, err
	}
	if model.ReadsLists(evaluator) {
		return nil, fmt.Errorf("model %s is a %s network; only a %s one is distilled", d.Teacher.Name, model.Sparse, model.Residual)
	}
	const tile = 256
	tiles := make([][]sample, (len(texts)+tile-1)/tile)
	errs := make([]error, len(tiles))
	for from := 0; from < len(tiles); from += 64 {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		to := min(len(tiles), from+64)
		parallel.For(to-from, d.Workers, func(i int) {
			i += from
			rng := rand.New(rand.NewPCG(d.Seed, uint64(i)))
			tiles[i], errs[i] = d.labelTile(ctx, evaluator, texts[i*tile:min(len(texts), (i+1)*tile)], rng)
		})
		report(min(len(texts), to*tile), "")
	}
	var samples []sample
	for i, t := range tiles {
		if errs[i] != nil {
			return nil, errs[i]
		}
		samples = append(samples, t...)
	}
	return samples, nil
}

// labelTile is label for a few positions, which it evaluates in one batch.
func (d Distillation) labelTile(ctx context.Context, e model.Evaluator, texts []string, rng *rand.Rand) ([]sample, error) {
	var positions []engine.Position
	for _, text := range texts {
		p, err := d.From.Parse(text)
		if err != nil {
			return nil, err
		}
		for range 1 + d.Wander {
			if p.Outcome() != engine.Ongoing {
				break
			}
			positions = append(positions, p)
			legal := p.Legal(nil)
			p = p.Play(legal[rng.IntN(len(legal))])
		}
	}
	b := model.NewBatch(d.From.Spec, len(positions))
	b.N = len(positions)
	for i, p := range positions {
		p.Encode(b.Planes[i*d.From.Planes.Size() : (i+1)*d.From.Planes.Size()])
	}
	if err := e.Evaluate(ctx, b); err != nil {
		return nil, err
	}
	var samples []sample
	for i, p := range positions {
		x, err := d.sample(p, b.Logits[i*d.From.Actions:(i+1)*d.From.Actions], b.Values[i])
		if err != nil {
			return nil, err
		}
		samples = append(samples, x)
	}
	return samples, nil
}

// sample translates a position and the teacher's logits and value there to the
// student's encoding of the game.
func (d Distillation) sample(p engine.Position, logits []float32, value float32) (sample, error) {
	translated, err := d.To.Parse(p.String())
	if err != nil {
		return sample{}, err
	}
	names := map[string]engine.Action{}
	for _, a := range translated.Legal(nil) {
		names[translated.ActionString(a)] = a
	}
	top, sum := float32(math.Inf(-1)), float32(0)
	legal := p.Legal(nil)
	for _, a := range legal {
		top = max(top, logits[a])
	}
	var policy []data.Weight
	for _, a := range legal {
		as, ok := names[p.ActionString(a)]
		if !ok {
			return sample{}, fmt.Errorf("%s has no action %q in %q", d.To.Name, p.ActionString(a), translated)
		}
		w := float32(detmath.Exp(float64(logits[a] - top)))
		sum += w
		policy = append(policy, data.Weight{Action: int32(as), Weight: w})
	}
	for i := range policy {
		policy[i].Weight /= sum
	}
	return sample{position: translated, policy: policy, value: value}, nil
}
