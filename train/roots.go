package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"dojo/data"
	"dojo/engine"
	"dojo/internal/detmath"
	"dojo/internal/parallel"
	"dojo/model"
	"dojo/run"
)

// Roots are positions of played games, from which a [Distillation] draws other positions by
// random actions.
type Roots struct {
	Positions []engine.Position
	From      string // whose games they are, for the student's metadata
	Identity  string // the same for equal positions, different for others
}

// RunRoots returns up to n of the newest positions of a run, each once.
func RunRoots(ctx context.Context, f run.Folder, game engine.Game, n int) (Roots, error) {
	roots := Roots{From: "those of a run"}
	shards, err := f.Shards()
	if err != nil {
		return roots, err
	}
	seen, texts := map[string]bool{}, sha256.New()
	for i := len(shards) - 1; i >= 0 && len(roots.Positions) < n; i-- {
		if ctx.Err() != nil {
			return roots, context.Cause(ctx)
		}
		path := shards[i].Path
		header, rows, err := data.ReadShard(path)
		if err != nil {
			return roots, err
		}
		if header.Game != game.Name || header.SpecVersion != game.Version {
			return roots, fmt.Errorf("shard %s is of %s version %d, not %s version %d", path, header.Game, header.SpecVersion, game.Name, game.Version)
		}
		for _, r := range rows {
			if seen[r.Position] || len(roots.Positions) == n {
				continue
			}
			seen[r.Position] = true
			p, err := game.Parse(r.Position)
			if err == nil && p.Outcome() != engine.Ongoing {
				err = fmt.Errorf("the game is over in %q", r.Position)
			}
			if err != nil {
				return roots, fmt.Errorf("shard %s: %w", path, err)
			}
			roots.Positions = append(roots.Positions, p)
			_, _ = io.WriteString(texts, r.Position+"\n") // writing to a hash does not fail
		}
	}
	roots.Identity = hex.EncodeToString(texts.Sum(nil))
	if len(roots.Positions) == 0 {
		return roots, fmt.Errorf("run %s has no samples", f)
	}
	return roots, nil
}

// PlayedRoots returns n positions of games that the teacher plays against itself for this
// purpose, drawing its actions from its policy. They depend on the seed, but not on the
// number of workers.
func PlayedRoots(ctx context.Context, teacher *model.Checkpoint, game engine.Game, n int, seed uint64, workers int) (Roots, error) {
	evaluator, err := teacher.Evaluator(model.Best)
	if err != nil {
		return Roots{}, err
	}
	var parts [chunks][]engine.Position
	var errs [chunks]error
	parallel.For(chunks, workers, func(c int) {
		rng := rand.New(rand.NewPCG(seed, streamDistil-uint64(1+c)))
		parts[c], errs[c] = playRoots(ctx, newOracle(evaluator, game), rng, n*(c+1)/chunks-n*c/chunks)
	})
	roots := Roots{From: "those of the teacher's own games", Identity: fmt.Sprint(teacher.Hash(), n, seed)}
	for _, p := range parts {
		roots.Positions = append(roots.Positions, p...)
	}
	return roots, cmp.Or(errs[:]...)
}

// playRoots plays games until it has n positions.
func playRoots(ctx context.Context, o *oracle, rng *rand.Rand, n int) (list []engine.Position, err error) {
	for len(list) < n {
		for p := o.game.Start(rng); p.Outcome() == engine.Ongoing && len(list) < n; {
			list = append(list, p)
			if err := cmp.Or(context.Cause(ctx), o.evaluate(ctx, list[len(list)-1:])); err != nil {
				return nil, err
			}
			policy, _ := o.output(0)
			p = p.Play(sampleAction(policy, rng))
		}
	}
	return list, nil
}

// sampleAction draws an action from a policy.
func sampleAction(policy []data.Weight, rng *rand.Rand) engine.Action {
	x := rng.Float32()
	for _, w := range policy {
		if x -= w.Weight; x < 0 {
			return engine.Action(w.Action)
		}
	}
	return engine.Action(policy[len(policy)-1].Action)
}

// An oracle evaluates positions with a network of either kind, in small batches.
type oracle struct {
	evaluator model.Evaluator
	game      engine.Game
	batch     *model.Batch
	lists     bool              // the network reads lists
	positions []engine.Position // those that were evaluated last
}

// oracleRows is the largest number of positions that an oracle evaluates at once.
const oracleRows = 32

func newOracle(e model.Evaluator, game engine.Game) *oracle {
	o := &oracle{evaluator: e, game: game, lists: model.ReadsLists(e)}
	if o.lists {
		o.batch = model.NewListBatch(game.Spec, oracleRows)
	} else {
		o.batch = model.NewBatch(game.Spec, oracleRows)
	}
	return o
}

// evaluate evaluates positions; output returns the results until the next call.
func (o *oracle) evaluate(ctx context.Context, positions []engine.Position) error {
	o.positions, o.batch.N = positions, len(positions)
	o.batch.Lists.Reset()
	for i, p := range positions {
		if o.lists {
			o.batch.Lists.Append(p)
		} else {
			size := o.game.Planes.Size()
			p.Encode(o.batch.Planes[i*size : (i+1)*size])
		}
	}
	return o.evaluator.Evaluate(ctx, o.batch)
}

// output returns the policy over the legal actions of position i, and the value for the
// player to move there.
func (o *oracle) output(i int) (policy []data.Weight, value float32) {
	var legal []engine.Action
	logits := o.batch.Logits
	if o.lists {
		from, to := o.batch.Lists.LegalRange(i, i+1)
		legal, logits = o.batch.Lists.Legal[from:to], logits[from:to]
	} else {
		legal, logits = o.positions[i].Legal(nil), logits[i*o.game.Actions:(i+1)*o.game.Actions]
	}
	logit := func(k int) float32 {
		if o.lists {
			return logits[k]
		}
		return logits[legal[k]]
	}
	top, sum := float32(math.Inf(-1)), float32(0)
	for k := range legal {
		top = max(top, logit(k))
	}
	policy = make([]data.Weight, len(legal))
	for k, a := range legal {
		policy[k] = data.Weight{Action: int32(a), Weight: detmath.Exp32(logit(k) - top)}
		sum += policy[k].Weight
	}
	for k := range policy {
		policy[k].Weight /= sum
	}
	return policy, o.batch.Values[i]
}
