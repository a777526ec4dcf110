package cluster

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"dojo/configs"
	"dojo/data"
	"dojo/engine"
	"dojo/model"
	"dojo/selfplay"
)

// Proof plays a shard of two short games that follows from a run's configuration alone,
// and has the positions of a random game evaluated. It returns the SHA-256 of the shard's
// file and of all outputs of the network, which has random weights. Programs whose proofs
// are equal play the same bits: a hub lets a worker in only if theirs are.
func Proof(ctx context.Context, config string) (string, error) {
	return prove(ctx, config, func(e model.Evaluator) model.Evaluator { return e })
}

// prove is Proof for a program whose evaluators are what the function makes of ours.
func prove(ctx context.Context, config string, evaluator func(model.Evaluator) model.Evaluator) (string, error) {
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
	t := task{Config: string(text), Model: "proof", Run: "proof", Program: "proof"}
	job, err := t.selfplayJob(nil, 1)
	if err != nil {
		return "", err
	}
	rng := rand.New(rand.NewPCG(1, 1))
	network := frozen.Config.Network.For(job.Game.Spec)
	c := model.NewCheckpoint(model.Meta{Game: job.Game.Name, SpecVersion: job.Game.Version, Name: "proof"}, network, rng)
	b := randomGame(job.Game, network.Kind, rng)
	if network.Kind == model.Sparse {
		c.CalibrateLists(b.Lists)
	} else {
		c.Calibrate(b.Planes)
	}
	if job.Evaluator, err = c.Evaluator(frozen.Config.Train.Precision); err != nil {
		return "", err
	}
	job.Evaluator = evaluator(job.Evaluator)
	if err := job.Evaluator.Evaluate(ctx, b); err != nil {
		return "", err
	}
	var outputs []byte
	for _, x := range slices.Concat(b.Logits, b.Values) {
		outputs = binary.LittleEndian.AppendUint32(outputs, math.Float32bits(x))
	}
	var sum string
	_, err = selfplay.Play(ctx, job, selfplay.Each(0), func(p data.Provenance, rows []data.Row) error {
		content, err := data.EncodeShard(p, rows)
		sum = digest(append(content, outputs...))
		return err
	})
	return sum, err
}

// randomGame returns the positions of a random game as a batch for a network of the given
// kind.
func randomGame(game engine.Game, kind model.NetworkKind, rng *rand.Rand) *model.Batch {
	var positions []engine.Position
	for p := game.Start(rng); p.Outcome() == engine.Ongoing; {
		positions = append(positions, p)
		legal := p.Legal(nil)
		p = p.Play(legal[rng.IntN(len(legal))])
	}
	b := model.NewListBatch(game.Spec, len(positions))
	if kind != model.Sparse {
		b = model.NewBatch(game.Spec, len(positions))
	}
	b.N = len(positions)
	for i, p := range positions {
		if kind == model.Sparse {
			b.Lists.Append(p)
		} else {
			p.Encode(b.Planes[i*game.Planes.Size() : (i+1)*game.Planes.Size()])
		}
	}
	return b
}
