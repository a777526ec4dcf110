package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/bounded"
	"dojo.example/play"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// errBusy is the answer to a request for a search while MaxSearches searches are running.
var errBusy = statusError{
	fmt.Errorf("the server already runs %d searches, its maximum; try again soon", MaxSearches),
	http.StatusServiceUnavailable,
}

// searching is like answering, but at most MaxSearches requests can hold a search slot at a time. A
// request holds its slot until f returns or calls leave. f may search for MaxTime. A slow client
// holds no slot: the handler reads the body before it takes a slot, and writes the answer after it
// has released it.
func (s *Server) searching(f func(ctx context.Context, w http.ResponseWriter, r *http.Request, leave func()) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answering(func(r *http.Request) (any, error) {
			// This is safe: the body has at most MaxBody bytes, and http.Server.ReadTimeout limits
			// the time.
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, fmt.Errorf("invalid request: %w", err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			select {
			case s.searches <- struct{}{}:
			default:
				return nil, errBusy
			}
			leave := sync.OnceFunc(func() { <-s.searches })
			defer leave()
			most := MaxTime + s.writeTimeout
			ctx, cancel := context.WithTimeout(r.Context(), most)
			defer cancel()
			rc := http.NewResponseController(w)
			// This fails only in tests, whose response recorder supports no deadlines.
			_ = rc.SetReadDeadline(time.Time{})
			_ = rc.SetWriteDeadline(time.Now().Add(most))
			return f(ctx, w, r, leave)
		})(w, r)
	}
}

// The priorities of searches. A higher number is more urgent.
const (
	urgent  = 1 // search whose progress somebody watches
	patient = 0 // one of the many searches of a game's positions
)

// lineInterval is the time between two lines of an answer that reports the progress of a search.
const lineInterval = 150 * time.Millisecond

// analyse answers a request for a search. If the search cannot begin, analyse returns an error. If
// an error occurs later, analyse sends it as the last line of the answer.
func (s *Server) analyse(ctx context.Context, w http.ResponseWriter, r *http.Request, leave func()) (any, error) {
	q, game, err := readQuery(r)
	if err != nil {
		return nil, err
	}
	position, err := q.position(game)
	if err != nil {
		return nil, err
	}
	s.refresh()
	m, err := s.load(ctx, q.Model, game)
	if err != nil {
		return nil, err
	}
	// If the client sets no time limit, refuse more simulations than fit in memory. This check
	// leaves out MaxTime: with it in the budget, Check would accept them, but the search would end
	// before it reached that number.
	if q.TimeMS == 0 {
		if err := m.Check(think.Budget{Visits: q.Simulations}); err != nil {
			return nil, err
		}
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	// Proxies must pass on each line immediately. nginx obeys the first header, others the second.
	w.Header().Set("X-Accel-Buffering", "no")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	rc := http.NewResponseController(w)
	write := func(line any) error { // writes a line and sends it immediately
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		_ = rc.SetWriteDeadline(time.Now().Add(s.writeTimeout))
		if _, err := w.Write(append(text, '\n')); err != nil {
			return err
		}
		return rc.Flush()
	}
	tell := func(t analysis.Thought, done bool) error {
		g := analysis.Growth{Thought: t, Position: position.String(), Done: done}
		if t.Elapsed > 0 {
			g.PerSecond = float64(t.Visits) / t.Elapsed.Seconds()
		}
		return write(g)
	}
	search := m.Begin(ctx, position, q.budget(), urgent)
	go func() { // ends when the search ends or ctx is cancelled
		_, _ = search.Wait() // Watch below returns the same error
		leave()
	}()
	t, err := search.Watch(lineInterval, func(t analysis.Thought) error { return tell(t, false) })
	if err == nil {
		err = tell(t, true)
	}
	if err != nil {
		_ = write(map[string]string{"error": err.Error()}) // the client may have hung up
	}
	return nil, nil
}

// position returns the position to search, which is reached by playing q.Moves from q.Position.
func (q *Query) position(game games.Entry) (engine.Position, error) {
	err := cmp.Or(bounded.Between("simulations", q.Simulations, 0, MaxSimulations), bounded.Between("time_ms", q.TimeMS, 0, int(MaxTime/time.Millisecond)))
	if err != nil {
		return nil, err
	}
	g, err := play.Follow(game.Game.Game, q.Position, q.Moves)
	if err != nil {
		return nil, err
	}
	p := g.Now()
	if p.Outcome() != engine.Ongoing {
		return nil, errors.New("the game is over in the position to search")
	}
	return p, nil
}

// budget returns the limits of the search.
func (q *Query) budget() think.Budget {
	b := think.Budget{Visits: q.Simulations, Time: MaxTime}
	if q.TimeMS > 0 {
		b.Time = time.Duration(q.TimeMS) * time.Millisecond
	}
	return b
}
