package worker

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"dojo.example/cluster/wire"
	"dojo.example/configs"
	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/selfplay"
)

// Proof returns the proof of this program for a run's configuration. Programs that compute
// different bits have different proofs, so the hub admits a worker only if the worker's proof
// equals its own.
//
// Proof plays a shard of two short games with a network that has random weights, and evaluates the
// positions of a random game. The proof is the SHA-256 of the protocol's version, all outputs of
// the network and the shard's file.
func Proof(ctx context.Context, config string) (string, error) {
	return prove(ctx, config, func(e model.Evaluator) model.Evaluator { return e })
}

// prove is like Proof, but first applies the function evaluator to the network's evaluator. Tests
// use this to imitate a program that computes different bits.
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
	opt, _, err := RunSpec{Config: string(text), Run: "proof"}.open([2][]byte{}, 1)
	if err != nil {
		return "", err
	}
	job := opt.Job(0, "proof", "proof", nil)
	c, positions, err := proofModel(job.Game.Game, frozen.Config.Network.Model())
	if err != nil {
		return "", err
	}
	if job.Evaluator, err = c.Evaluator(frozen.Config.Train.Precision); err != nil {
		return "", err
	}
	job.Evaluator = evaluator(job.Evaluator)
	b := model.NewBatch(job.Evaluator)
	if err := b.Ask(ctx, positions...); err != nil {
		return "", err
	}
	outputs := fmt.Appendf(nil, "dojo %d\n", wire.Protocol)
	for _, x := range slices.Concat(b.Logits, b.Values) {
		outputs = binary.LittleEndian.AppendUint32(outputs, math.Float32bits(x))
	}
	var sum string
	_, err = selfplay.Play(ctx, job, selfplay.Each(0), func(p data.Provenance, rows []data.Row) error {
		content, err := data.EncodeShard(p, rows)
		sum = rundir.TextHash(slices.Concat(outputs, content))
		return err
	})
	return sum, err
}

// proofModel returns a network with random weights and the positions of a random game. It
// calibrates the network for 8 bits on these positions.
func proofModel(game engine.Game, n model.Network) (*model.Checkpoint, []engine.Position, error) {
	n = n.For(game.Spec)
	rng := rand.New(rand.NewPCG(1, 1))
	c := model.NewCheckpoint(model.Meta{Game: game.Name, SpecVersion: game.Version, Name: "proof"}, n, rng)
	var positions []engine.Position
	in := n.NewInput()
	start, err := game.Deal(rng)
	if err != nil {
		return nil, nil, err
	}
	_, err = game.PlayFrom(start, func(p engine.Position, _ int, legal []engine.Action) (engine.Action, error) {
		positions = append(positions, p)
		in.Append(p)
		return legal[rng.IntN(len(legal))], nil
	})
	if err != nil {
		return nil, nil, err
	}
	c.Calibrate(in)
	return c, positions, nil
}
