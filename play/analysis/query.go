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

// Query is one line of input to a [Service]. It asks the service to search a position or, if Cancel
// is set, to cancel another query.
type Query struct {
	ID          string   `json:"id"`          // any text that is not the ID of an unanswered query
	Game        string   `json:"game"`        // name of the game; if it is "", Service.Game
	Position    string   `json:"position"`    // in the game's notation
	Moves       []string `json:"moves"`       // actions to play from Position before the search
	Simulations int      `json:"simulations"` // limit on the visits of the root; 0: no limit

	// TimeMS limits the time of the search, in milliseconds from its start. 0 means no limit.
	TimeMS int `json:"time_ms"`

	Priority int      `json:"priority"` // searches with a larger priority begin first
	Top      int      `json:"top"`      // maximum number of moves in the answer; 0: all
	Include  []string `json:"include"`  // names of additional fields in the answer; see Extras
	Cancel   string   `json:"cancel"`   // the ID of the query to cancel
}

// Extras lists the valid elements of Query.Include. Each of the names legal, score and drawing adds
// the field of the same name to the answer. The names policy and proven add a field to every move
// of the answer. The name proven also adds a field to the answer itself.
var Extras = []string{"legal", "score", "drawing", "policy", "proven"}

// Answer is the reply of a [Service] to a query whose position was searched. Its values are from
// First's perspective.
type Answer struct {
	ID       string   `json:"id"`
	Game     string   `json:"game"`
	Position string   `json:"position"` // position after the query's moves
	ToMove   string   `json:"to_move"`
	Outcome  string   `json:"outcome"`
	Legal    []string `json:"legal,omitempty"`
	Score    []int    `json:"score,omitempty"`
	Drawing  string   `json:"drawing,omitempty"`
	Thought

	// Stopped says why the search ended before its limit. It is empty if the position was proven.
	Stopped string `json:"stopped,omitempty"`
}

// Failure is the reply of a [Service] to a query that failed.
type Failure struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// Limits on the fields of a query.
const (
	MaxSimulations = 1_000_000
	MaxTime        = time.Hour
	maxPriority    = 1_000_000
	maxID          = 200 // in bytes
)

// ParseQuery parses a query from one line of JSON. If it returns an error, the returned query
// contains only the ID, or nothing if the ID could not be read.
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

// check returns an error for the first invalid field. The error begins with the field's key.
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
			return fmt.Errorf("include: %s is not one of %s", bounded.Quote(name), strings.Join(Extras, ", "))
		}
	}
	return nil
}

// budget returns the limits that the query sets. If it sets none, budget returns usual.
func (q Query) budget(usual think.Budget) think.Budget {
	b := think.Budget{Visits: q.Simulations, Time: time.Duration(q.TimeMS) * time.Millisecond}
	if b == (think.Budget{}) {
		return usual
	}
	return b
}

// Reach returns the position to search: the one that is reached by playing Moves. An element of
// Moves may contain several actions, for example a whole turn.
func (q Query) Reach(game engine.Game) (engine.Position, error) {
	p, err := game.Parse(q.Position)
	if err != nil {
		return nil, err
	}
	path, _, err := engine.ParseLine(p, q.Moves)
	return path[len(path)-1], err
}

// Answer returns the reply to the query. t is the result of the search of position p, and game is
// the name of the game.
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
	a.Move, a.Line = "", nil // the first element of a.Moves contains both
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
