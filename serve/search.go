package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"dojo/analysis"
	"dojo/engine"
	"dojo/games"
	"dojo/play"
	"dojo/think"
)

// Growth is what a search has found so far: a line of the answer of /api/analyse.
type Growth struct {
	analysis.Thought
	Position  string  `json:"position"`
	PerSecond float64 `json:"simulations_per_second"`
	Done      bool    `json:"done"`
}

// errBusy is what is answered while as many searches run as may.
var errBusy = fmt.Errorf("%d searches are running, which is as many as this server allows; try again soon", MaxSearches)

// take begins a search if one may begin; release ends it.
func (s *Server) take() (release func(), ok bool) {
	select {
	case s.searches <- struct{}{}:
		return func() { <-s.searches }, true
	default:
		return nil, false
	}
}

// The priorities of searches: somebody looks at one, of the others there may be many.
const (
	urgent  = 1
	patient = 0
)

// slice is the time between two lines of an answer.
const slice = 150 * time.Millisecond

func (s *Server) postAnalyse(w http.ResponseWriter, r *http.Request) {
	q, game, err := read(r)
	if err != nil {
		fail(w, blame(err), err)
		return
	}
	position, err := q.position(game)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	release, ok := s.take()
	if !ok {
		w.Header().Set("Retry-After", "1")
		fail(w, http.StatusServiceUnavailable, errBusy)
		return
	}
	defer release()
	s.refresh()
	c, err := s.load(q.Model, game)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	d, leave, err := s.sit(c, game)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	defer leave()
	w.Header().Set("Content-Type", "application/x-ndjson")
	stream := s.client(w)
	err = grow(r.Context(), d.Begin(position, q.budget(), urgent), func(g Growth) error {
		g.Position = position.String()
		text, err := json.Marshal(g)
		if err != nil {
			return err
		}
		return stream.write(append(text, '\n'))
	})
	if err != nil {
		text, _ := json.Marshal(map[string]string{"error": err.Error()}) // a string can be encoded
		_ = stream.write(append(text, '\n'))                             // to a client that may have gone
	}
}

// position is the position that is to be searched.
func (q *question) position(game games.Entry) (engine.Position, error) {
	if q.Simulations < 0 || q.Simulations > MaxSimulations {
		return nil, fmt.Errorf("simulations: %d is not between 0 and %d", q.Simulations, MaxSimulations)
	}
	if q.TimeMS < 0 || q.TimeMS > int(MaxTime/time.Millisecond) {
		return nil, fmt.Errorf("time_ms: %d is not between 0 and %d", q.TimeMS, MaxTime/time.Millisecond)
	}
	g, err := play.Follow(game.Game, q.Position, q.Moves)
	if err != nil {
		return nil, err
	}
	p := g.Now()
	if p.Outcome() != engine.Ongoing {
		return nil, errors.New("the game is over")
	}
	return p, nil
}

// budget is what the search may use.
func (q *question) budget() think.Budget {
	b := think.Budget{Visits: q.Simulations, Time: MaxTime}
	if q.TimeMS > 0 {
		b.Time = time.Duration(q.TimeMS) * time.Millisecond
	}
	return b
}

// grow tells what a search finds as it comes, and ends it when nobody is told any more.
func grow(ctx context.Context, r *analysis.Running, tell func(Growth) error) error {
	defer r.Cancel()                        // which does nothing if it has ended
	for wait := slice / 3; ; wait = slice { // the first answer comes soon
		r.Thought() // asks for a newer one
		done := false
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.Done():
			if err := r.Err(); err != nil {
				return err
			}
			done = true
		case <-time.After(wait):
		}
		thought, elapsed := r.Growth()
		g := Growth{Thought: thought, Done: done}
		if elapsed > 0 {
			g.PerSecond = float64(g.Visits) / elapsed.Seconds()
		}
		if g.Visits == 0 && !done {
			continue // it waits, or has only just begun
		}
		if err := tell(g); err != nil || done {
			return err
		}
	}
}
