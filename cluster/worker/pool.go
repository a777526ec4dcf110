package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"
	"dojo.example/internal/version"

	"github.com/nats-io/nats.go"
)

// A pool is what a worker needs to serve all runs of an external server, in one session after
// another. The hubs do not know of each other: each worker asks all of them (see wire.Survey), and
// decides for itself.
type pool struct {
	worker *worker
	conn   *nats.Conn
	look   wire.Signal             // signals that the worker should look at the other runs
	now    atomic.Pointer[session] // the current session, or nil

	// At any time only one goroutine uses these fields: during a session the one that runs the method
	// watch, and otherwise the one that runs the method run.
	known   int                  // number of hubs that answered the last survey
	offers  []wire.Welcome       // the runs that the worker could serve at the last survey
	goal    *wire.Welcome        // the run for which the worker has left the last session; nil if it has to choose
	retry   map[string]time.Time // by wire.Names.Run: until then, a run that has refused the worker's program is not tried
	told    map[string]bool      // the runs and programs for which the worker has logged that it needs another version
	waiting bool                 // the worker has logged that it waits for a run
}

// These times are multiples of Times.Survey. A worker that has a task looks at the other runs
// rarely, only to correct how the workers are distributed.
const (
	idleSurveys  = 10 // the time between two surveys of a worker without a task
	busySurveys  = 20 // the time between two surveys of a worker with a task
	retrySurveys = 60 // the time before the next hello to a run that has refused the worker's program
)

// errNoRun is the error if the worker can serve none of the server's runs at the moment.
var errNoRun = errors.New("no run on the server needs this worker")

// newPool returns the pool of a worker that is connected to an external server.
func newPool(w *worker, conn *nats.Conn) *pool {
	return &pool{worker: w, conn: conn, look: make(wire.Signal, 1), retry: map[string]time.Time{}, told: map[string]bool{}}
}

// run serves one run after another, until ctx ends, the connection is lost, or the worker has waited
// long enough; see waitAfter.
func (p *pool) run(ctx context.Context) error {
	_, err := p.conn.Subscribe(wire.Names{Run: "*"}.State(), func(m *nats.Msg) {
		if s := p.now.Load(); s == nil || s.idle.Load() && m.Subject != s.names.State() {
			p.look.Give() // another run may have new tasks
		}
	})
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		run, err := p.find(ctx)
		if err == nil {
			p.waiting = false
			err = p.serve(ctx, run)
		}
		_, other := errors.AsType[otherVersion](err)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case other:
			p.retry[run.Run] = time.Now().Add(p.interval(retrySurveys))
			p.tellVersion(run)
			continue
		case errors.Is(err, errMoves), errors.Is(err, errUnknown), errors.Is(err, errComplete):
			continue
		case errors.Is(err, ErrRefused), errors.Is(err, ErrAway), p.conn.IsClosed():
			return err
		case errors.Is(err, errNoRun) && !p.waiting:
			p.waiting = true
			p.worker.opt.Log.Info("no run to serve; waiting for one", "address", wire.WithoutLogin(p.worker.opt.Join))
		}
		left, err := p.worker.waitAfter(err)
		if err != nil {
			return err
		}
		p.pause(ctx, min(left, p.interval(idleSurveys)))
	}
	return context.Cause(ctx)
}

// find returns the run that the worker should serve next. The error is errNoRun if there is none.
func (p *pool) find(ctx context.Context) (wire.Welcome, error) {
	if goal := p.goal; goal != nil {
		p.goal = nil
		return *goal, nil
	}
	err := p.survey(ctx)
	switch {
	case err != nil && ctx.Err() == nil && !p.conn.IsConnected():
		return wire.Welcome{}, fmt.Errorf("%w: %w", errUnreachable, err)
	case errors.Is(err, nats.ErrNoResponders), err == nil && len(p.offers) == 0:
		return wire.Welcome{}, errNoRun
	case err != nil:
		return wire.Welcome{}, fmt.Errorf("say hello: %w", wire.Unanswered(err))
	}
	return best(p.offers, p.worker.name), nil
}

// serve requests admission to a run and does its tasks. It returns the reason why it has ended.
func (p *pool) serve(ctx context.Context, run wire.Welcome) error {
	w := p.worker
	entry, err := w.sayHello(ctx, p.conn, run)
	switch {
	case err != nil:
		return err
	case entry.Complete:
		return errComplete
	}
	w.once, w.done = entry.Once && w.opt.UntilDone, false
	s := w.newSession(p.conn, entry)
	s.pool = p
	s.fresh.Store(hasFree(p.others(s)))
	p.now.Store(s)
	defer p.now.Store(nil)
	err = s.serve(ctx)
	w.done = w.opt.UntilDone && errors.Is(err, errComplete)
	return err
}

// watch looks at the other runs from time to time during the session s, until ctx ends. It makes
// the worker leave the session if another run needs it more.
func (p *pool) watch(ctx context.Context, s *session) {
	for {
		surveys := time.Duration(busySurveys)
		if s.idle.Load() {
			surveys = idleSurveys
		}
		p.pause(ctx, p.interval(surveys))
		err := p.survey(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			continue // the server or all hubs are away
		}
		p.review(s)
	}
}

// review decides after a survey whether the worker leaves the session s.
func (p *pool) review(s *session) {
	here, others := wire.Welcome{}, p.others(s)
	present := len(others) < len(p.offers)
	if present {
		here = p.offers[slices.IndexFunc(p.offers, s.serves)]
	}
	elsewhere := hasFree(others)
	if was := s.fresh.Swap(elsewhere); was && !elsewhere {
		s.news.Give() // the worker may now get copies of tasks
	}
	switch {
	case len(others) == 0:
	case !present && (s.unanswered.Load() || s.idle.Load() && elsewhere):
		goal := best(others, p.worker.name)
		p.goal = &goal
		s.stop(errMoves)
	case present && s.idle.Load() && here.Free == 0 && elsewhere:
		goal := best(others, p.worker.name)
		p.goal = &goal
		s.leave()
	case present && isCrowded(here, others, rand.Float64()):
		s.leave()
	}
}

// leave makes the worker finish its tasks and then end the session.
func (s *session) leave() {
	s.leaving.Store(true)
	s.news.Give()
}

// serves reports whether the session belongs to the run that has sent the answer w.
func (s *session) serves(w wire.Welcome) bool { return s.names.Run == w.Run }

// others returns the runs that the worker could serve, except the run of the session s.
func (p *pool) others(s *session) []wire.Welcome {
	return slices.DeleteFunc(slices.Clone(p.offers), s.serves)
}

// survey asks all hubs, and stores in p.offers the runs that the worker can serve.
func (p *pool) survey(ctx context.Context) error {
	w := p.worker
	all, err := wire.Survey(ctx, p.conn, w.hello(""), w.opt.Times, p.known)
	if err != nil {
		return err
	}
	between := p.now.Load() == nil // the worker is not in a session
	p.known, p.offers = len(all), nil
	for _, o := range all {
		switch {
		case w.opt.Run != "" && w.opt.Run != o.Name:
			continue
		case o.Complete:
			if between {
				w.done = w.opt.UntilDone
			}
			continue
		case o.Protocol != wire.Protocol:
			p.tellVersion(o)
		case time.Now().After(p.retry[o.Run]):
			p.offers = append(p.offers, o)
		}
		if between {
			w.noteContact()
		}
	}
	return nil
}

// tellVersion logs that a run needs another version of the program, once for each version.
func (p *pool) tellVersion(run wire.Welcome) {
	key := run.Run + " " + run.Program
	if p.told[key] {
		return
	}
	p.told[key] = true
	p.worker.opt.Log.Warn("the run needs another version of dojo; waiting for it or for other runs",
		"run", run.Name, "trainer", cmp.Or(run.Program, "older"), "worker", version.String())
}

// interval returns a time of roughly the given number of surveys. It is random, so that the workers
// do not all decide at the same moment.
func (p *pool) interval(surveys time.Duration) time.Duration {
	d := surveys * p.worker.opt.Times.Survey
	return d - d/5 + rand.N(d*2/5+1)
}

// pause waits for a time, or until there is a reason to look at the runs.
func (p *pool) pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-p.look:
	case <-time.After(d):
	}
}

// weight returns the weight of a run.
func weight(run wire.Welcome) float64 { return max(cmp.Or(run.Weight, 1), 0.01) }

// hasFree reports whether one of the runs has free tasks.
func hasFree(runs []wire.Welcome) bool {
	return slices.ContainsFunc(runs, func(r wire.Welcome) bool { return r.Free > 0 })
}

// crowd returns the number of workers of a run for each unit of its weight, if more workers come.
func crowd(run wire.Welcome, more int) float64 { return float64(run.Workers+more) / weight(run) }

// best returns the run that needs one more worker most: a run with free tasks that has the fewest
// workers for its weight. Among equal runs, the hash of the worker's name and the run decides, so
// that workers that start together do not all choose the same run. There must be at least one run.
func best(runs []wire.Welcome, worker string) wire.Welcome {
	return slices.MinFunc(runs, func(a, b wire.Welcome) int {
		return cmp.Or(
			-cmp.Compare(min(a.Free, 1), min(b.Free, 1)),
			cmp.Compare(crowd(a, 1), crowd(b, 1)),
			cmp.Compare(rundir.TextHash([]byte(worker+a.Run)), rundir.TextHash([]byte(worker+b.Run))))
	})
}

// isCrowded decides whether a worker leaves the run here for one of the others, although here has
// tasks for it. It does so only if another run with free tasks would then still have fewer workers
// for its weight. All workers of the run decide for themselves at about the same time. So each of
// them leaves only with a probability such that those who leave are as many as the run has too many.
// dice is a random number from 0 to 1.
func isCrowded(here wire.Welcome, others []wire.Welcome, dice float64) bool {
	workers, weights, room := float64(here.Workers), weight(here), false
	for _, o := range others {
		if o.Free == 0 {
			continue
		}
		workers, weights = workers+float64(o.Workers), weights+weight(o)
		room = room || crowd(o, 1) < crowd(here, 0)
	}
	excess := float64(here.Workers) - weight(here)*workers/weights
	return room && dice*float64(here.Workers) < excess
}
