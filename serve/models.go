package serve

import (
	"dojo.example/model"
	"dojo.example/think"
)

// A loadedModel is a model that is ready to search with. Its zero value is model.NoModel.
type loadedModel struct {
	checkpoint *model.Checkpoint
	options    think.Options
	hash       string
}

// prepare makes a checkpoint ready to search with.
func prepare(c *model.Checkpoint) (m *loadedModel, err error) {
	m = &loadedModel{checkpoint: c, hash: c.Hash()}
	m.options, err = think.Model(c, model.Best)
	return m, err
}

// maxLoaded is the number of models of runs that stay loaded: a request need not
// read, pack and hash their weights again.
const maxLoaded = 8

// loadModel reads a model from a file.
func loadModel(path string) (*loadedModel, error) {
	c, err := model.Load(path)
	if err != nil {
		return nil, err
	}
	return prepare(c)
}
