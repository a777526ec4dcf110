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
	"dojo.example/internal/balance"
	"dojo.example/internal/natsclient"
	"dojo.example/internal/timing"
	"dojo.example/internal/version"

	"github.com/nats-io/nats.go"
)

// A pool serves all runs of an external server, in one session after another. The hubs do not know
// of each other, so each worker asks all of them, and decides for itself; see package balance.
type pool struct {
	*worker
	conn *nats.Conn
	look timing.Signal           // signals that the worker should look at the other runs
	now  atomic.Pointer[session] // the current session, or nil

	// During a session only the method watch uses these fields.
	offers  []wire.Welcome   // the runs that the worker could serve at the last survey
	refused balance.Refusals // the runs that need another version of the program, by wire.Names.Run
	others  int              // the number of such runs at the last survey
	hubs    int              // the number of hubs that answered at the last survey
}

// These times are multiples of Times.Survey. A worker that has a task looks at the other runs
// rarely, only to correct how the workers are distributed.
const (
	idleSurveys  = 25  // the time between two surveys of a worker without a task
	busySurveys  = 50  // the time between two surveys of a worker with a task
	retrySurveys = 150 // the time before the next hello to a run that has refused the worker's program
)

// NoRun is the text in Activity.Waits while the server has no run that the worker may serve.
const NoRun = "the server has no run for this worker"

var errNoRun = errors.New(NoRun)
var errVersion = fmt.Errorf("%w: the runs need another version of dojo", errNoRun)

// serveAll serves one run after another, until ctx ends, the connection is lost, or the worker has
// waited long enough; see waitAfter.
func (p *pool) serveAll(ctx context.Context) error {
	_, err := p.conn.Subscribe(wire.Names{Run: "*"}.State(), func(m *nats.Msg) {
		if s := p.now.Load(); s == nil || s.idle.Load() && m.Subject != s.names.State() {
			p.look.Give() // another run may have new tasks
		}
	})
	for err == nil && ctx.Err() == nil {
		err = p.serveOne(ctx)
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, errMoves), errors.Is(err, errUnknown), errors.Is(err, errComplete):
			err = nil
		case errors.Is(err, ErrRefused), errors.Is(err, ErrAway), errors.Is(err, natsclient.ErrPayload), p.conn.IsClosed():
		default:
			var left time.Duration
			switch left, err = p.waitAfter(err); {
			case err != nil && p.done:
				return nil
			case err == nil:
				p.look.Wait(ctx, min(left, idleSurveys*p.opt.Times.Survey))
			}
		}
	}
	return cmp.Or(context.Cause(ctx), err)
}

// serveOne chooses a run, requests admission, and does tasks of the run. It returns the reason why it
// has ended. The reason is errNoRun if the worker can serve no run.
func (p *pool) serveOne(ctx context.Context) error {
	err := p.survey(ctx, p.hubs)
	switch {
	case err != nil && !p.conn.IsConnected():
		return fmt.Errorf("%w: %w", errUnreachable, err)
	case err != nil && !errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("say hello: %w", wire.Unanswered(err))
	case err == nil && len(p.offers) == 0 && p.others > 0:
		return errVersion
	case err != nil || len(p.offers) == 0:
		return errNoRun
	}
	run := best(p.offers, p.name)
	entry, err := p.sayHello(ctx, p.conn, run)
	switch {
	case err == nil && entry.Complete:
		err = errComplete
	case err == nil:
		p.once, p.done = entry.Once && p.opt.UntilDone, false
		err = p.serve(ctx, p.conn, entry, p)
	}
	if _, other := errors.AsType[otherVersion](err); other {
		p.refuse(run)
		return errMoves
	}
	p.done = p.opt.UntilDone && (p.done || errors.Is(err, errComplete))
	return err
}

// best returns the run that needs one more worker most. If the runs are equal, the hash of the
// worker's name and the run decides, so that workers that start together choose different runs.
func best(runs []wire.Welcome, worker string) wire.Welcome {
	hash := func(run wire.Welcome) string { return rundir.TextHash([]byte(worker + run.Run)) }
	return slices.MinFunc(runs, func(a, b wire.Welcome) int {
		return cmp.Or(a.Load.Compare(b.Load), cmp.Compare(hash(a), hash(b)))
	})
}

// survey asks all hubs, and stores in p.offers the runs that the worker can serve. See wire.Survey
// for enough.
func (p *pool) survey(ctx context.Context, enough int) error {
	all, err := wire.Survey(ctx, p.conn, p.hello(""), p.opt.Times, enough)
	between := p.now.Load() == nil // the worker is not in a session
	p.offers, p.others, p.hubs = nil, 0, len(all)
	for _, o := range all {
		switch {
		case p.opt.Run != "" && p.opt.Run != o.Name:
			continue
		case o.Complete:
			if between {
				p.done = p.opt.UntilDone
			}
			continue
		case o.Protocol != wire.Protocol:
			p.refuse(o)
			p.others++
		case p.refused.Has(o.Run, o.Program):
			p.others++
		default:
			p.offers = append(p.offers, o)
		}
		if between {
			p.noteContact()
		}
	}
	return err
}

// refuse records that a run needs another version of the program, and logs it once for each version
// of the run.
func (p *pool) refuse(run wire.Welcome) {
	if p.refused.Add(run.Run, run.Program, retrySurveys*p.opt.Times.Survey) {
		p.opt.Log.Warn("the run needs another version of dojo; waiting for it or for other runs",
			"run", run.Name, "trainer", cmp.Or(run.Program, "older"), "worker", version.String())
	}
}

// watch looks at the other runs from time to time during the session s, until ctx ends. It makes
// the worker leave the session if another run needs it more.
func (p *pool) watch(ctx context.Context, s *session) {
	for ctx.Err() == nil {
		most, enough := busySurveys*p.opt.Times.Survey, 0
		if s.idle.Load() {
			most = idleSurveys * p.opt.Times.Survey
		}
		if p.look.Wait(ctx, most-rand.N(most/4)) { // random, so that the workers do not all decide at the same moment
			enough = p.hubs // does not wait for hubs that have started since, because the worker has no task
		}
		if p.survey(ctx, enough) == nil {
			p.review(s)
		}
	}
}

// review decides after a survey whether the worker leaves the session s.
func (p *pool) review(s *session) {
	var here wire.Welcome
	var others []balance.Load
	for _, o := range p.offers {
		if o.Run == s.names.Run {
			here = o
		} else {
			others = append(others, o.Load)
		}
	}
	elsewhere := slices.ContainsFunc(others, func(l balance.Load) bool { return l.Free > 0 })
	s.fresh.Store(elsewhere)
	switch {
	case here.Run == "" && len(others) > 0 && (s.unanswered.Load() || s.idle.Load() && elsewhere):
		s.stop(errMoves) // drops the results that the worker could not deliver
	case here.Run != "" && (s.idle.Load() && here.Free == 0 && elsewhere || here.Crowded(others, rand.Float64())):
		s.leaving.Store(true)
		s.news.Give()
	}
}
