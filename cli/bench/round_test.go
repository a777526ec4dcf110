package bench

import (
	"testing"

	"dojo.example/model"
)

// BenchmarkRound measures one round of evaluations, of training or of self-play on one core. To
// compare an old and a new version of the program, run the benchmark alternately with both (make
// bench-compare PKG=./bench).
func BenchmarkRound(b *testing.B) {
	wide := []string{"network.kind=residual", "network.channels=64", "network.blocks=4"}
	narrow := []string{"network.kind=residual", "network.channels=32", "network.blocks=4"}
	few := []string{"selfplay.lanes=4", "mcts.simulations=64"}
	for _, c := range []struct {
		work, name, preset string
		settings           []string
	}{
		{"evaluate/int8", "onitama-64x4", "onitama", wide},
		{"evaluate/int8", "onitama-32x4", "onitama", narrow},
		{"evaluate/float32", "onitama-64x4", "onitama", wide},
		{"evaluate/int8", "oanquan-64x4", "oanquan", wide},
		{"evaluate/int8", "oanquan", "oanquan", nil},
		{"evaluate/int8", "onitama", "onitama", nil},
		{"evaluate/int8", "wallonitama", "wallonitama", nil},
		{"evaluate/int8", "patchwork", "patchwork", nil},
		{"train", "onitama-64x4", "onitama", append(wide, "train.optimiser.batch=256")},
		{"train", "onitama-32x4", "onitama", append(narrow, "train.optimiser.batch=256")},
		{"train", "onitama", "onitama", nil},
		{"selfplay", "onitama-64x4", "onitama", append(wide, few...)},
		{"selfplay", "onitama", "onitama", few},
		{"selfplay", "wallonitama", "wallonitama", few},
		{"selfplay", "patchwork", "patchwork", few},
		{"selfplay", "oanquan", "oanquan", few},
	} {
		b.Run(c.work+"/"+c.name, func(b *testing.B) {
			p, err := newPreset(c.preset, c.settings)
			if err != nil {
				b.Fatal(err)
			}
			work := p.round(c.work)
			work() // a first round, not timed, to allocate memory
			var units float64
			for b.Loop() {
				units = work()
			}
			b.ReportMetric(units, "units")
		})
	}
}

// round returns a function for the named work. Each call of that function does one round and
// returns its number of evaluations, samples or simulations.
func (p *preset) round(work string) func() float64 {
	const boards = 8
	switch work {
	case "train":
		return p.train(1)
	case "selfplay":
		return p.selfplay(1)
	case "evaluate/float32":
		return p.evaluate(model.Float32, boards)
	}
	return p.evaluate(model.Int8, boards)
}
