package bench

import (
	"testing"

	"dojo.example/model"
)

// BenchmarkRound is one round of work on one core, between calls of beginRound and
// endRound, for programs that count what is executed between them: see make
// bench-instructions-arm64. Its metrics are the units of work of a round, and the
// multiply-adds that a unit needs, where they can be counted.
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
			work, products := p.round(c.work)
			work() // memory is allocated in the first round
			var units float64
			for b.Loop() {
				beginRound()
				units = work()
				endRound()
			}
			b.ReportMetric(units, "units")
			b.ReportMetric(products, "multiply-adds")
		})
	}
}

//go:noinline
func beginRound() {}

//go:noinline
func endRound() {}

// round is the work of a round, and the multiply-adds of one of its units; 0 where they
// cannot be counted.
func (p *preset) round(work string) (do func() float64, products float64) {
	const boards = 8
	a := p.network.Architecture()
	switch work {
	case "train":
		return p.train(1), a.TrainingOperations() / 2
	case "selfplay":
		return p.selfplay(1), 0
	case "evaluate/float32":
		do = p.evaluate(model.Float32, boards)
	default:
		do = p.evaluate(model.Int8, boards)
	}
	products = a.Operations() / 2
	if a.Lists { // as many columns as are active, and as many logits as are legal
		in, s := p.input(boards), p.network.Sparse
		products += float64(len(in.Features)*s.Columns)/boards - float64(s.Active*s.Columns)
		products += float64(len(in.Legal)*s.Policy) / boards
	}
	return do, products
}
