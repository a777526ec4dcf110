package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"

	"dojo.example/configs"
	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/internal/detmath"
	"dojo.example/internal/parallel"
	"dojo.example/internal/scratch"
	"dojo.example/model"
	"dojo.example/model/graph"
	"dojo.example/model/kernel"
	"dojo.example/selfplay"
)

// The names of the benchmarks that measure the arithmetic peak.
const (
	peakFloat32 = "peak/float32"
	peakInt8    = "peak/int8"
)

// GigaOperations is the unit of results of the benchmarks that measure only arithmetic.
const GigaOperations = "Gop/s"

// peakBenchmarks returns benchmarks that only multiply and add, on one core. If the program has no
// vector kernels for this processor, there are none.
func peakBenchmarks() []Benchmark {
	if kernel.MultiplyAdds(1) == 0 {
		return nil
	}
	work := func(f func(int) float64) func() func() float64 {
		return func() func() float64 { return func() float64 { return f(20_000) / 1e9 } }
	}
	return []Benchmark{
		{name: peakFloat32, unit: GigaOperations, make: work(kernel.MultiplyAdds)},
		{name: peakInt8, unit: GigaOperations, make: work(kernel.QuantMultiplyAdds)},
	}
}

// kernelBenchmarks returns benchmarks that compute a single 3×3 convolution with 64 channels on 16
// boards.
func kernelBenchmarks() (all []Benchmark) {
	const boards, c = 16, 64
	for _, board := range []struct{ h, w int }{{5, 5}, {9, 9}, {2, 6}} {
		h, w := board.h, board.w
		rng := rand.New(rand.NewPCG(1, 1))
		size := boards * h * w * c
		taps := (3*h - 2) * (3*w - 2)
		operations := 2 * float64(boards*taps*c*c) / 1e9
		weight := make([]float32, 9*c*c)
		for i := range weight {
			weight[i] = float32(detmath.Normal(rng))
		}
		name := fmt.Sprintf("/%dx%dx%d", h, w, c)
		all = append(all,
			Benchmark{name: "kernel/float32" + name, unit: GigaOperations, peak: peakFloat32, operations: 1e9, make: func() func() float64 {
				layer := kernel.NewConv(h, w, c, c, 3)
				layer.Pack(weight, nil)
				src, dst := make([]float32, size), make([]float32, size)
				return func() float64 { layer.Run(dst, src, nil, boards, true); return operations }
			}},
			Benchmark{name: "kernel/int8" + name, unit: GigaOperations, peak: peakInt8, operations: 1e9, make: func() func() float64 {
				layer := kernel.NewConv8(h, w, c, c, 3)
				ones := make([]float32, c)
				for i := range ones {
					ones[i] = 1
				}
				layer.Pack(weight, nil, ones)
				src, dst := make([]uint8, size), kernel.Output{Bytes: make([]uint8, size), Inverse: ones}
				return func() float64 { layer.Run(&dst, src, nil, boards, true); return operations }
			}})
	}
	return all
}

// preset is a preset for training runs, with the data that its benchmarks share.
type preset struct {
	configs.Config
	game    games.Entry
	network model.Network
	// checkpoint is the built-in bot if its network has the preset's sizes. Otherwise it is a
	// network with random weights.
	checkpoint *model.Checkpoint
	positions  []engine.Position // positions of random games
}

// newPreset reads the named preset, changed by settings of the form key=value.
func newPreset(name string, settings []string) (p *preset, err error) {
	p = &preset{}
	if p.Config, err = configs.Load(name, settings...); err != nil {
		return nil, err
	}
	if p.game, err = games.ByName(p.Game); err != nil {
		return nil, err
	}
	if err := p.Network.Model().CheckGame(p.game.Spec); err != nil {
		return nil, fmt.Errorf("preset %s: network: %w", name, err)
	}
	p.network = p.Network.Model().For(p.game.Spec)
	return p, nil
}

// prepare creates the positions and the checkpoint. For realistic figures, self-play needs a
// trained network: with random weights, searches are wider and shallower, and games are shorter.
func (p *preset) prepare() {
	if p.checkpoint != nil {
		return
	}
	const calibrated = 256 // number of positions for calibrating the 8-bit network
	rng := rand.New(rand.NewPCG(1, 1))
	var err error
	p.positions, err = p.game.RandomPositions(max(calibrated, p.Train.Optimiser.Batch), rng)
	must(err)
	if box, err := box.Load(p.Game); err == nil && box.Network == p.network {
		p.checkpoint = box
		return
	}
	p.checkpoint = model.NewCheckpoint(model.Meta{Game: p.Game}, p.network, rng)
	p.checkpoint.Calibrate(p.input(calibrated))
}

// input returns the preset's first n positions, encoded as input of its network.
func (p *preset) input(n int) engine.Input {
	in := p.network.NewInput()
	for _, at := range p.positions[:n] {
		in.Append(at)
	}
	return in
}

// presetBenchmarks returns the benchmarks of a preset's network: evaluation, self-play and
// training. The settings, of the form key=value, change the preset.
func presetBenchmarks(name string, settings []string) (all []Benchmark, err error) {
	p, err := newPreset(name, settings)
	if err != nil {
		return nil, err
	}
	for _, precision := range []model.Precision{model.Float32, model.Int8} {
		for _, batch := range []int{1, 8, 32} { // Measure shows only the best batch size
			all = append(all, Benchmark{
				name: fmt.Sprintf("network/%s/%s", name, precision), unit: "evaluations/s",
				peak: "peak/" + string(precision), operations: p.network.Architecture().Operations(), make: func() func() float64 { return p.evaluate(precision, batch) },
			})
		}
	}
	for _, workers := range []struct {
		name string
		n    int
	}{{"1", 1}, {"all", runtime.GOMAXPROCS(0)}} {
		of := name + "/" + workers.name
		all = append(all,
			Benchmark{name: "selfplay/" + of, unit: "simulations/s", make: func() func() float64 { return p.selfplay(workers.n) }},
			Benchmark{name: "train/" + of, unit: "samples/s", make: func() func() float64 { return p.train(workers.n) }})
	}
	return all, nil
}

// evaluate returns a function that evaluates a batch with the network and returns the number of
// positions.
func (p *preset) evaluate(precision model.Precision, batch int) func() float64 {
	p.prepare()
	e, err := p.checkpoint.Evaluator(precision)
	must(err)
	b := &model.Batch{Input: p.input(batch)}
	b.Fit()
	return func() float64 {
		must(e.Evaluate(context.Background(), b))
		return float64(batch)
	}
}

// selfplay returns a function that plays self-play games into a temporary folder and returns the
// number of simulations.
func (p *preset) selfplay(workers int) func() float64 {
	p.prepare()
	evaluator, err := p.checkpoint.Evaluator(p.Train.Precision)
	must(err)
	job := selfplay.Job{
		Config: p.Selfplay, Search: p.MCTS, Game: p.game.Game,
		Evaluator: evaluator, Model: p.checkpoint.Name, Run: "bench", Workers: workers,
	}
	job.Games = 2 * job.Lanes * workers // twice as many games as are played at a time
	job.ShardGames = job.Games
	return func() float64 {
		dir, remove, err := scratch.Folder("bench")
		must(err)
		defer remove()
		job.Seed++
		t, err := selfplay.Play(context.Background(), job, selfplay.Each(0), func(p data.Provenance, rows []data.Row) error {
			return data.WriteShard(filepath.Join(dir, "shard.parquet"), p, rows)
		})
		must(err)
		return float64(t.Simulations)
	}
}

// train returns a function that takes one optimiser step, always on the same batch, and returns the
// number of samples.
func (p *preset) train(workers int) func() float64 {
	p.prepare()
	t, err := graph.New(p.network, p.Train.Optimiser, parallel.NewTeam(workers))
	must(err)
	must(t.SetWeights(p.checkpoint))
	b := t.NewBatch()
	rows := p.Train.Optimiser.Batch
	b.Input = p.input(rows)
	policy := make([]float32, len(b.Input.Legal))
	for row := range rows {
		first, end := b.Input.LegalRange(row, row+1)
		for i := first; i < end; i++ {
			policy[i] = 1 / float32(end-first)
		}
	}
	b.Targets[0].Rows = policy
	return func() float64 {
		_, err := t.Step(b, 1e-4)
		must(err)
		return float64(rows)
	}
}

// must panics if err is not nil. measure recovers and returns the error.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
