package cluster

import (
	"bytes"
	"fmt"

	"dojo/configs"
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
