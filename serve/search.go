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
	"dojo/model"
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
	thinker, err := newThinker(c, game)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	stream := s.client(w)
	err = grow(r.Context(), thinker, position, q.budget(), game.Actions, func(g Growth) error {
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

// newThinker returns a thinker that plays a game with a checkpoint.
func newThinker(c *model.Checkpoint, game games.Entry) (*think.Thinker, error) {
	options, err := think.Model(c, model.Best)
	if err != nil {
		return nil, err
	}
	return think.New(game.NewSearch, game.Spec, options), nil
}

// grow searches p until the budget is used up, and tells what is found as it comes.
func grow(ctx context.Context, t *think.Thinker, p engine.Position, b think.Budget, actions int, tell func(Growth) error) error {
	began, made := time.Now(), 0
	for wait := slice / 3; ; wait = slice { // the first answer comes soon
		left := b.Time - time.Since(began)
		why, err := t.Think(ctx, p, think.Budget{Visits: b.Visits, Time: max(time.Millisecond, min(wait, left))})
		if err != nil {
			return err
		}
		made += t.Simulations
		done := why != think.Time || left <= wait
		err = tell(Growth{
			Thought: analysis.Summarise(t.Search, actions), Position: p.String(),
			PerSecond: float64(made) / time.Since(began).Seconds(), Done: done,
		})
		if err != nil || done {
			return err
		}
	}
}
