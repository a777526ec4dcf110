package selfplay_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/selfplay"
)

// BenchmarkOnitama measures self-play with 100 simulations per move and a network of 64 channels
// and 4 blocks with random weights. Other programs were measured with the same settings for
// comparison.
func BenchmarkOnitama(b *testing.B) {
	game := onitama.Classic.Game()
	network := model.Network{Body: model.DefaultResidual()}.For(game.Spec)
	c := model.NewCheckpoint(model.Meta{}, network, rand.New(rand.NewPCG(1, 1)))
	c.Calibrate(positions(game, network.NewInput(), 200))
	for _, precision := range []model.Precision{model.Int8, model.Float32} {
		e, err := c.Evaluator(precision)
		if err != nil {
			b.Fatal(err)
		}
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers%d", precision, workers), func(b *testing.B) {
				bench(b, e, workers)
			})
		}
	}
}

// positions appends n positions from random games to in.
func positions(game engine.Game, in engine.Input, n int) engine.Input {
	rng := rand.New(rand.NewPCG(2, 2))
	for p := game.Start(rng); in.Rows() < n; {
		in.Append(p)
		legal := p.Legal(nil)
		if p = p.Play(legal[rng.IntN(len(legal))]); p.Outcome() != engine.Ongoing {
			p = game.Start(rng)
		}
	}
	return in
}

func bench(b *testing.B, net model.Evaluator, workers int) {
	var inside atomic.Int64 // time in the network, in nanoseconds, summed over all workers
	job := selfplay.Job{
		Config: selfplay.Default(),
		Search: mcts.Default(),
		Game:   mcts.GameOf(onitama.Classic),
		Evaluator: model.Wrap(net, func(ctx context.Context, x *model.Batch) error {
			start := time.Now()
			defer func() { inside.Add(int64(time.Since(start))) }()
			return net.Evaluate(ctx, x)
		}),
		Model: "random", Run: "bench", Seed: 1, Workers: workers,
	}
	job.Games, job.ShardGames = 96, 96
	var sum selfplay.Totals
	for b.Loop() {
		job.Seed++
		t, err := selfplay.Play(b.Context(), job, selfplay.Each(0), func(data.Provenance, []data.Row) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
		sum.Simulations += t.Simulations
		sum.Evaluations += t.Evaluations
		sum.Positions += t.Positions
	}
	s := b.Elapsed().Seconds()
	b.ReportMetric(float64(sum.Simulations)/s, "sims/s")
	b.ReportMetric(float64(sum.Evaluations)/s, "evals/s")
	b.ReportMetric(float64(sum.Positions)/s, "moves/s")
	b.ReportMetric(100*float64(inside.Load())/1e9/s/float64(workers), "%network")
}
