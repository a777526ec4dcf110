package serve

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"dojo.example/analysis"
	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/think"
)

// An analyserPool has an analyser for each model with which somebody searches at the moment.
// All searches with a model share its analyser, and so its batches.
type analyserPool struct {
	mu   sync.Mutex
	open map[string]*sharedAnalyser // by game and model; guarded by mu
}

// A sharedAnalyser is an analyser that runs as long as it has users.
type sharedAnalyser struct {
	*analysis.Analyser
	users int // guarded by analyserPool.mu
	stop  func()
}

// workers is the number of goroutines that search with a model: one if this process trains a
// run, because the training needs the cores.
func (s *Server) workers() int {
	if len(s.runs) > 0 && s.runs[0].live != nil {
		return 1
	}
	return min(runtime.NumCPU(), MaxSearches)
}

// acquireAnalyser returns the analyser of a model, and starts it if nobody uses it yet. The
// caller calls leave when it no longer needs the analyser. The zero model stands for
// model.Uniform.
func (s *Server) acquireAnalyser(m *loadedModel, game games.Entry) (d *sharedAnalyser, leave func(), err error) {
	options, key := think.Options{Evaluator: model.Uniform}, game.Name
	if m.checkpoint != nil {
		if err := m.checkpoint.Check(game.Spec); err != nil {
			return nil, nil, err
		}
		options, key = m.options, fmt.Sprintf("%s %s", game.Name, m.hash)
	}
	s.analysers.mu.Lock()
	defer s.analysers.mu.Unlock()
	if d = s.analysers.open[key]; d == nil {
		workers := s.workers()
		lanes := (MaxSearches + workers - 1) / workers
		d = startAnalyser(analysis.New(game.Game, options, analysis.Options{Workers: workers, Lanes: lanes, Memory: MaxMemory}))
		s.analysers.open[key] = d
	}
	d.users++
	return d, func() { s.analysers.release(key, d) }, nil
}

// startAnalyser starts an analyser.
func startAnalyser(a *analysis.Analyser) *sharedAnalyser {
	ctx, stop := context.WithCancel(context.Background()) // it does not end with the request of one user
	var running sync.WaitGroup
	running.Go(func() { _ = a.Run(ctx) }) // its searches have the error
	return &sharedAnalyser{Analyser: a, stop: func() {
		stop()
		running.Wait()
	}}
}

// release ends the use of an analyser. After its last user it stops, which frees the memory of
// its trees.
func (x *analyserPool) release(key string, d *sharedAnalyser) {
	x.mu.Lock()
	d.users--
	last := d.users == 0
	if last {
		delete(x.open, key)
	}
	x.mu.Unlock()
	if last {
		d.stop()
	}
}
