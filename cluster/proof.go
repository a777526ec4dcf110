package cluster

import (
	"context"
	"math/rand/v2"

	"dojo/configs"
	"dojo/data"
	"dojo/engine"
	"dojo/model"
	"dojo/selfplay"
)

// protocol is the version of what travels. Programs that do not share it refuse each
// other, because it goes into the proof.
const protocol = "dojo 2\n"

// Proof plays a shard of two short games that follows from a run's configuration alone,
// with a network of random weights, and returns the SHA-256 of the protocol's version and
// the shard's file. Programs whose proofs are equal play the same bits: a hub lets a
// worker in only if its proof is the hub's.
func Proof(ctx context.Context, config string) (string, error) {
	frozen, err := configs.Parse("the run's configuration", []byte(config))
	if err != nil {
		return "", err
	}
	frozen.Config.Selfplay.Games, frozen.Config.Selfplay.ShardGames = 2, 2
	frozen.Config.MCTS.Simulations = min(frozen.Config.MCTS.Simulations, 8)
	text, err := frozen.Text()
	if err != nil {
		return "", err
	}
	job, err := shardSpec{Config: string(text), Model: "proof", Run: "proof", Program: "proof"}.job(nil, 1)
	if err != nil {
		return "", err
	}
	c := proofModel(job.Game, frozen.Config.Network)
	if job.Evaluator, err = c.Evaluator(frozen.Config.Train.Precision); err != nil {
		return "", err
	}
	var sum string
	_, err = selfplay.Play(ctx, job, selfplay.Each(0), func(p data.Provenance, rows []data.Row) error {
		content, err := data.EncodeShard(p, rows)
		sum = digest(append([]byte(protocol), content...))
		return err
	})
	return sum, err
}

// proofModel is a network with random weights, calibrated on the positions of a random
// game.
func proofModel(game engine.Game, n model.Network) *model.Checkpoint {
	n = n.For(game.Spec)
	rng := rand.New(rand.NewPCG(1, 1))
	c := model.NewCheckpoint(model.Meta{Game: game.Name, SpecVersion: game.Version, Name: "proof"}, n, rng)
	var planes []float32
	var lists engine.Lists
	p := game.Start(rng)
	for p.Outcome() == engine.Ongoing {
		if n.Kind == model.Sparse {
			lists.Append(p)
		} else {
			planes = append(planes, make([]float32, game.Planes.Size())...)
			p.Encode(planes[len(planes)-game.Planes.Size():])
		}
		legal := p.Legal(nil)
		p = p.Play(legal[rng.IntN(len(legal))])
	}
	if n.Kind == model.Sparse {
		c.CalibrateLists(lists)
	} else {
		c.Calibrate(planes)
	}
	return c
}
