package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"dojo/data"
	"dojo/engine/tictactoe"
	"dojo/model"
	"dojo/model/graph"
)

// Weights share out the draws of a generation: a part evenly, a part by divergence.
func TestWeigh(t *testing.T) {
	for _, c := range []struct {
		share      float32
		divergence [4]float32
		want       [4]float32
	}{
		{0.5, [4]float32{0, 1, 2, 5}, [4]float32{0.5, 0.75, 1, 1.75}},
		{1, [4]float32{0, 1, 2, 5}, [4]float32{0, 0.5, 1, 2.5}},
		{0.5, [4]float32{}, [4]float32{1, 1, 1, 1}}, // shards without the column
	} {
		samples, rows := make([]sample, 4), make([]data.Row, 4)
		for i := range rows {
			rows[i].Divergence = c.divergence[i]
		}
		setWeights(samples, rows, c.share)
		for i := range samples {
			if samples[i].weight != c.want[i] {
				t.Errorf("share %v, divergences %v: sample %d has the weight %v, want %v", c.share, c.divergence, i, samples[i].weight, c.want[i])
			}
		}
	}
}

// A sample comes as often as its weight says: in each order rounded up or down, and on
// average exactly. An order has as many draws as there are samples, give or take one.
func TestSamplerDrawsByWeight(t *testing.T) {
	weights := []float32{0, 0.5, 0.75, 1, 1.75, 2, 0.25, 1.75}
	var samples []sample
	for _, w := range weights {
		samples = append(samples, sample{position: tictactoe.Rules.Game().Start(nil), weight: w})
	}
	s := newSampler(tictactoe.Rules.Game(), samples, rand.New(rand.NewPCG(1, 1)), 1)
	const orders = 4000
	total, late := make([]int, len(weights)), make([]int, len(weights))
	for range orders {
		s.reorder()
		if n := len(s.order); n < len(weights)-1 || n > len(weights)+1 {
			t.Fatalf("an order has %d draws of %d samples", n, len(weights))
		}
		drawn := make([]int, len(weights))
		for k, i := range s.order {
			if drawn[i]++; k >= 4 {
				late[i]++
			}
		}
		for i, n := range drawn {
			total[i] += n
			if w := float64(weights[i]); float64(n) < math.Floor(w) || float64(n) > math.Ceil(w) {
				t.Fatalf("sample %d, of weight %v, comes %d times in an order", i, w, n)
			}
		}
	}
	for i, n := range total {
		if mean := float64(n) / orders; math.Abs(mean-float64(weights[i])) > 0.05 {
			t.Errorf("sample %d comes %.3f times in an order, want %v", i, mean, weights[i])
		}
		if share := float64(late[i]) / float64(n); n > 0 && math.Abs(share-0.5) > 0.05 {
			t.Errorf("%.3f of the draws of sample %d are in the second half of an order: it is not shuffled", share, i)
		}
	}
	b := graph.NewBatch(model.DefaultNetwork().For(tictactoe.Rules.Game().Spec), 16)
	for range 10 {
		for s.fill(b); len(s.picks) > 0; s.picks = s.picks[1:] {
			if weights[s.picks[0].sample] == 0 {
				t.Fatal("a sample of weight 0 is in a batch")
			}
		}
	}
}
