package serve

import (
	"sync"
	"time"

	"dojo/model"
	"dojo/think"
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

// maxLoaded is the number of models of runs that stay loaded.
const maxLoaded = 8

// modelCache keeps the models of runs that were used last, so that a request does not read,
// pack and hash their weights again.
type modelCache struct {
	mu    sync.Mutex
	files map[string]*modelFile // by path; guarded by mu
}

// A modelFile is a loaded model and the file that it is from.
type modelFile struct {
	*loadedModel
	stamp stamp
	used  time.Time
}

// load returns the model at path, reading it if it is new or has changed.
func (c *modelCache) load(path string) (*loadedModel, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := stampOf(path)
	if f := c.files[path]; f != nil && f.stamp == now {
		f.used = time.Now()
		return f.loadedModel, nil
	}
	checkpoint, err := model.Load(path)
	if err != nil {
		return nil, err
	}
	m, err := prepare(checkpoint)
	if err != nil {
		return nil, err
	}
	if c.files == nil {
		c.files = map[string]*modelFile{}
	}
	c.files[path] = &modelFile{m, now, time.Now()}
	for len(c.files) > maxLoaded {
		oldest := path
		for p, f := range c.files {
			if f.used.Before(c.files[oldest].used) {
				oldest = p
			}
		}
		delete(c.files, oldest)
	}
	return m, nil
}
