package analysis

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dojo.example/engine"
	"dojo.example/internal/bounded"
	"dojo.example/search/think"
)

// Query is a line that a [Service] reads: a position to search or, if Cancel is set, a
// query to cancel.
type Query struct {
	ID          string   `json:"id"`          // any text that no other unanswered query has
	Game        string   `json:"game"`        // "": Service.Game
	Position    string   `json:"position"`    // in the game's notation
	Moves       []string `json:"moves"`       // played from there, before the search
	Simulations int      `json:"simulations"` // visits of the root; 0: no limit
	TimeMS      int      `json:"time_ms"`     // milliseconds from the search's begin; 0: no limit
	Priority    int      `json:"priority"`    // larger ones begin first
	Top         int      `json:"top"`         // how many moves the answer has at most; 0: all
	Include     []string `json:"include"`     // further fields of the answer; see Extras
	Cancel      string   `json:"cancel"`      // the ID of another query
}

// Extras are what a query may include in its answer: the fields of these names, and
// policy and proven of every move.
var Extras = []string{"legal", "score", "drawing", "policy", "proven"}

// Answer is what a [Service] writes of a query that was searched. Value is First's.
type Answer struct {
	ID       string   `json:"id"`
	Game     string   `json:"game"`
	Position string   `json:"position"` // after the query's moves
	ToMove   string   `json:"to_move"`
	Outcome  string   `json:"outcome"`
	Legal    []string `json:"legal,omitempty"`
	Score    []int    `json:"score,omitempty"`
	Drawing  string   `json:"drawing,omitempty"`
	Thought
	Stopped string `json:"stopped,omitempty"` // why the search ended before its limit, other than by a proof
}

// Failure is what a [Service] writes of a query that was not searched.
type Failure struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// Limits on what a query may ask for.
const (
	MaxSimulations = 1_000_000
	MaxTime        = time.Hour
	maxPriority    = 1_000_000
	maxID          = 200 // bytes
)

// ParseQuery reads a query of one line. With an error the query has its ID, if that
// could be read.
func ParseQuery(line []byte) (q Query, err error) {
	err = bounded.Decode(bytes.NewReader(line), &q)
	if len(q.ID) > maxID {
		q.ID, err = "", cmp.Or(err, fmt.Errorf("id: it has more than %d bytes", maxID))
	}
	if err != nil {
		return Query{ID: q.ID}, err
	}
	return q, q.check()
}

// check reports the first value that makes no sense, naming its key.
func (q *Query) check() error {
	if q.ID == "" {
		return errors.New("id: it is missing")
	}
	if q.Cancel != "" {
		return nil
	}
	err := cmp.Or(
		bounded.Between("simulations", q.Simulations, 0, MaxSimulations),
		bounded.Between("time_ms", q.TimeMS, 0, int(MaxTime/time.Millisecond)),
		bounded.Between("priority", q.Priority, -maxPriority, maxPriority),
		bounded.Between("top", q.Top, 0, 1<<16),
	)
	if err != nil {
		return err
	}
	if q.Position == "" {
		return errors.New("position: it is missing")
	}
	for _, name := range q.Include {
		if !slices.Contains(Extras, name) {
			return fmt.Errorf("include: %s is none of %s", bounded.Quote(name), strings.Join(Extras, ", "))
		}
	}
	return nil
}

// budget returns the limits that the query sets, or, if it sets none, the usual ones.
func (q Query) budget(usual think.Budget) think.Budget {
	b := think.Budget{Visits: q.Simulations, Time: time.Duration(q.TimeMS) * time.Millisecond}
	if b == (think.Budget{}) {
		return usual
	}
	return b
}

// Reach returns the position to search, which is the one after the moves. A text in Moves
// may hold several actions, such as a whole turn.
func (q Query) Reach(game engine.Game) (engine.Position, error) {
	p, err := game.Parse(q.Position)
	if err != nil {
		return nil, err
	}
	path, _, err := engine.ParseLine(p, q.Moves)
	return path[len(path)-1], err
}

// Answer returns what the query gets to know of a position of the named game that was
// searched.
func (q Query) Answer(game string, p engine.Position, t Thought) Answer {
	d := Describe(game, p)
	a := Answer{ID: q.ID, Game: game, Position: d.Position, ToMove: d.ToMove, Outcome: d.Outcome, Thought: t}
	include := func(name string) bool { return slices.Contains(q.Include, name) }
	if include("legal") {
		a.Legal = d.Legal
	}
	if include("score") {
		a.Score = d.Score
	}
	if include("drawing") {
		a.Drawing = Drawing(p)
	}
	if !include("proven") {
		a.Proven = engine.Ongoing
	}
	if t.Stop == think.Full {
		a.Stopped = t.Stop.String()
	}
	a.Move, a.Line = "", nil // those of the first of Moves
	a.Moves = slices.Clone(t.Moves)
	if q.Top > 0 && len(a.Moves) > q.Top {
		a.Moves = a.Moves[:q.Top]
	}
	for i := range a.Moves {
		if !include("policy") {
			a.Moves[i].Policy = 0
		}
		if !include("proven") {
			a.Moves[i].Proven = engine.Ongoing
		}
	}
	return a
}
