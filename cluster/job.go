package cluster

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"

	"dojo/configs"
	"dojo/data"
	"dojo/engine"
	"dojo/games"
	"dojo/model"
	"dojo/run"
	"dojo/selfplay"
)

// selfplayJob makes the job that a task is a shard of. The file is the content of the
// checkpoint that plays, nil for a search without a network.
func (t task) selfplayJob(file []byte, workers int) (job selfplay.Job, err error) {
	frozen, err := configs.Parse("the task's configuration", []byte(t.Config))
	if err != nil {
		return job, err
	}
	c := frozen.Config
	game, err := games.ByName(c.Game)
	if err != nil {
		return job, err
	}
	job = selfplay.Job{
		Config: c.Selfplay, Search: c.MCTS, Game: game.Game, NewSearch: game.NewSearch,
		Evaluator: model.Uniform, Model: t.Model, Run: t.Run, Generation: t.Generation,
		Seed: c.Seed, ProgramVersion: t.Program, Workers: workers,
	}
	if t.Shard < 0 || t.Shard >= job.Shards() || t.Generation < 0 {
		return job, fmt.Errorf("the task is shard %d of generation %d; a generation has %d", t.Shard, t.Generation, job.Shards())
	}
	if t.File == "" {
		return job, nil
	}
	checkpoint, err := model.Decode(bytes.NewReader(file))
	if err != nil {
		return job, fmt.Errorf("model %s: %w", t.Model, err)
	}
	if err := checkpoint.Check(game.Spec); err != nil {
		return job, err
	}
	job.Evaluator, err = checkpoint.Evaluator(c.Train.Precision)
	return job, err
}

// Proof plays a shard of two short games that follows from a run's configuration alone
// and returns the SHA-256 of its file. The network is one with random weights. Programs
// whose proofs are equal play the same bits: a hub lets a worker in only if theirs are.
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
	t := task{Config: string(text), Model: "proof", Run: "proof", Program: "proof"}
	job, err := t.selfplayJob(nil, 1)
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
		sum = digest(content)
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

// modelFile returns the content of the file of a model of the run; nil for none.
func modelFile(folder run.Folder, name string) ([]byte, error) {
	if name == model.NoModel {
		return nil, nil
	}
	c, err := model.Load(folder.Model(name))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := c.Encode(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
