package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
	"dojo.example/model"
	"dojo.example/model/graph"
	"dojo.example/search/think"
)

// Each constant selects a stream of random numbers that is derived from a run's seed. Its comment
// says what the stream is for, and which number is added to the constant, if any. The games of the
// run use other streams.
const (
	streamInit = 1<<63 + iota<<40 // the initial weights of the network
	streamFit                     // the order of the samples; the generation is added
	streamGate                    // the openings of the gate; the generation is added
	// The samples of a student; step·chunks + chunk is added. For the games of the teacher, 1 +
	// chunk is subtracted instead.
	streamDistil
	// The openings of the ladder; generation·256 + number of the match is added.
	streamLadder
)

// A trainer state file stores the [FitStats] under the metadata key fitKey. The file is written
// after the candidate. So if the file exists, the stage fit is complete.
const fitKey = "fit"

// trainCandidate is the stage fit. It trains the candidate of the generation. If the candidate is
// already trained, it only reads the FitStats. If older trainer states that it needs have been
// removed, it first trains their generations again.
func (r *Run) trainCandidate(ctx context.Context, m *Metrics) error {
	from, err := r.opt.retrainFrom(m.Generation)
	if err != nil {
		return fmt.Errorf("train: %w", err)
	}
	for h := from; h < m.Generation; h++ {
		if err := r.fit(ctx, &Metrics{Generation: h, Player: r.done[h].Player, Program: r.program(h)}); err != nil {
			return fmt.Errorf("train: generation %d again: %w", h, err)
		}
	}
	if err := r.fit(ctx, m); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// fit trains the candidate of a generation. It starts from the trainer state after the previous
// generation.
func (r *Run) fit(ctx context.Context, m *Metrics) error {
	g := m.Generation
	samples, err := r.window.slide(ctx, g+1-r.opt.Train.window(g), g)
	if err != nil {
		return err
	}
	m.setGames(r.window.generations[g].stats)
	m.Late = r.window.generations[g].late
	if r.trainer == nil {
		if r.trainer, err = graph.New(r.opt.Network, r.opt.Train.Optimiser, r.team); err != nil {
			return err
		}
	}
	meta, err := r.trainer.Restore(r.opt.Folder.TrainerState(g))
	if err == nil {
		if err := bounded.Unmarshal([]byte(meta[fitKey]), &m.Fit); err != nil {
			return fmt.Errorf("%s: %w", r.opt.Folder.TrainerState(g), err)
		}
		// The process that saved the state may have been killed before it called forget.
		return r.forget(g)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := r.resume(g); err != nil {
		return err
	}
	if err := r.takeSteps(ctx, m, samples); err != nil {
		return err
	}
	if err := r.saveCandidate(m); err != nil {
		return err
	}
	return r.forget(g)
}

// forget removes the trainer states that are no longer needed once generation g has its own state.
// If the run may have to go back to an earlier generation (if Options.Games is set), it keeps the
// state of every 16th generation.
func (r *Run) forget(g int) error {
	every := 0
	if r.opt.Games != nil {
		every = 16
	}
	return r.opt.Folder.Forget(g-2, every)
}

// resume loads the trainer state from which generation g begins to train. This is the state after
// the previous generation. For generation 0, it is the weights from which the run starts.
func (r *Run) resume(g int) error {
	if g > 0 {
		_, err := r.trainer.Restore(r.opt.Folder.TrainerState(g - 1))
		return err
	}
	if r.opt.Start != "" {
		c, err := r.opt.load(rundir.StartModel)
		if err != nil {
			return err
		}
		return r.trainer.SetWeights(c)
	}
	rng := rand.New(rand.NewPCG(r.opt.Seed, streamInit))
	return r.trainer.SetWeights(model.NewCheckpoint(r.meta(0, r.program(0)), r.opt.Network, rng))
}

// takeSteps trains on the samples and sets m.Fit.
func (r *Run) takeSteps(ctx context.Context, m *Metrics, samples []sample) error {
	g, batch := m.Generation, r.opt.Train.Optimiser.Batch
	n := r.opt.Train.steps(len(r.window.generations[g].samples))
	sampler := newSampler(r.opt.Game.Game, r.opt.Network, samples, rand.New(rand.NewPCG(r.opt.Seed, streamFit+uint64(g))), r.team)

	if r.opt.Training != nil {
		r.opt.Training(true)
		defer r.opt.Training(false)
	}
	newGames, err := r.measureNewGames(ctx, g)
	if err != nil {
		return err
	}
	deep, err := r.measureDeepSearch(ctx, m)
	if err != nil {
		return err
	}
	start := time.Now()
	report := r.opt.Report.Stage(g, "train", n)
	b := r.trainer.NewBatch()
	fit := FitStats{Steps: n, WindowGenerations: r.opt.Train.window(g), WindowPositions: len(samples), New: newGames, Deep: deep}
	for _, held := range r.window.generations {
		fit.WindowBytes += held.bytes()
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		sampler.fill(b, batch)
		fit.LearningRate = float64(r.opt.Train.rate(g, r.trainer.StepCount()))
		l, err := r.trainer.Step(b, float32(fit.LearningRate))
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		fit.add(l, n)
		report(i+1, fmt.Sprintf("policy %.3f value %.3f", l.Heads["policy"], l.Heads["value"]))
	}
	fit.Seconds = time.Since(start).Seconds()
	if fit.Seconds > 0 { // fit.Seconds may be 0 with a coarse clock, and JSON cannot store infinity
		fit.SamplesPerSecond = float64(n*batch) / fit.Seconds
	}
	m.Fit = fit
	return nil
}

// meta returns the metadata of generation g's model. program is the version of the program that
// made the model.
func (r *Run) meta(g int, program string) model.Meta {
	m := model.Meta{
		Game:           r.opt.Game.Name,
		SpecVersion:    r.opt.Game.Version,
		Name:           rundir.ModelName(g),
		Seed:           r.opt.Seed,
		ProgramVersion: program,
		Search:         think.Record(r.opt.Search.Constants),
		Players:        think.Record(r.opt.Players),
	}
	switch {
	case g > 0:
		m.Parent = rundir.ModelName(g - 1)
	case r.opt.Start != "":
		m.Parent = rundir.StartModel
	}
	return m
}

// saveCandidate saves the averaged weights as the candidate, and then saves the trainer's state.
// The state file shows that the stage is complete.
func (r *Run) saveCandidate(m *Metrics) error {
	c := &model.Checkpoint{Meta: r.meta(m.Generation, m.Program), Network: r.opt.Network}
	if err := take(c, r.trainer, r.window.generations[m.Generation].samples); err != nil {
		return fmt.Errorf("candidate %s is not published: %w", c.Name, err)
	}
	// Do not replace the model of a committed generation.
	if _, err := os.Stat(r.opt.Folder.Model(c.Name)); m.Generation >= len(r.done) || err != nil {
		if err := c.Save(r.opt.Folder.Model(c.Name)); err != nil {
			return err
		}
	}
	fit, err := json.Marshal(m.Fit)
	if err != nil {
		return err
	}
	return r.trainer.Save(r.opt.Folder.TrainerState(m.Generation), map[string]string{fitKey: string(fit)})
}

// calibrationSamples is the largest number of samples on which the ranges of activations are
// measured.
const calibrationSamples = 400

// take copies the averaged weights of the trainer to a checkpoint and rounds those that checkpoints
// store in 16 bits. Then it measures the ranges of the activations on samples that are evenly spread
// over the list. If a weight or a range is not finite, it returns an error.
func take(c *model.Checkpoint, t *graph.Trainer, samples []sample) error {
	c.Tensors, c.Step = t.Average(), t.StepCount()
	for _, p := range c.Params() {
		if err := model.Finite(p.Name, c.Tensors[p.Name]); err != nil {
			return err
		}
	}
	c.Round()
	in := c.NewInput()
	for _, x := range spread(samples, calibrationSamples) {
		x.appendTo(&in, nil)
	}
	c.Calibrate(in)
	return model.Finite("ranges", c.Ranges)
}
