package serve

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"dojo/analysis"
	"dojo/games"
	"dojo/model"
	"dojo/think"
)

// desks are the analysers of the models that somebody asks at the moment: all searches
// with a model share its batches, whoever asks.
type desks struct {
	mu   sync.Mutex
	open map[string]*desk // by game and model; guarded by mu
}

// A desk is an analyser that runs as long as it has users.
type desk struct {
	*analysis.Analyser
	users int // guarded by desks.mu
	end   func()
}

// workers is the number of goroutines that search with a model: one where a run is
// trained by this process, which needs the cores itself.
func (s *Server) workers() int {
	if len(s.runs) > 0 && s.runs[0].live != nil {
		return 1
	}
	return min(runtime.NumCPU(), MaxSearches)
}

// sit returns the desk of a model, which is opened if nobody sits there yet; whoever sits
// leaves it in the end. A nil model has no opinion.
func (s *Server) sit(c *model.Checkpoint, game games.Entry) (d *desk, leave func(), err error) {
	options, key := think.Options{Evaluator: model.Uniform}, game.Name
	if c != nil {
		if err := c.Check(game.Spec); err != nil {
			return nil, nil, err
		}
		if options, err = think.Model(c, model.Best); err != nil {
			return nil, nil, err
		}
		key = fmt.Sprintf("%s %s", game.Name, c.Hash())
	}
	s.desks.mu.Lock()
	defer s.desks.mu.Unlock()
	if d = s.desks.open[key]; d == nil {
		workers := s.workers()
		lanes := (MaxSearches + workers - 1) / workers
		d = begin(analysis.New(game.NewSearch, game.Spec, options, analysis.Options{Workers: workers, Lanes: lanes, Memory: MaxMemory}))
		s.desks.open[key] = d
	}
	d.users++
	return d, func() { s.desks.leave(key, d) }, nil
}

// begin opens a desk.
func begin(a *analysis.Analyser) *desk {
	ctx, stop := context.WithCancel(context.Background()) // it has many users, and ends with the last
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = a.Run(ctx) // its searches have the error
	}()
	return &desk{Analyser: a, end: func() {
		stop()
		<-ended
	}}
}

// leave closes a desk after its last user, and gives back the memory of its trees.
func (x *desks) leave(key string, d *desk) {
	x.mu.Lock()
	d.users--
	last := d.users == 0
	if last {
		delete(x.open, key)
	}
	x.mu.Unlock()
	if last {
		d.end()
	}
}
