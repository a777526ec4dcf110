package analysis

import (
	"cmp"
	"slices"
	"time"

	"dojo.example/engine"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// Thought is the result of a search. While the search runs, it is the result so far. The zero
// Thought is the result of a search that has not begun.
type Thought struct {
	Value  float32        `json:"value"`           // value from First's perspective, from -1 to 1
	Visits int            `json:"visits"`          // number of simulations so far
	Move   string         `json:"move,omitempty"`  // best action; "" if the game is over
	Line   []string       `json:"line,omitempty"`  // best play of both sides, beginning with Move
	Moves  []Move         `json:"moves"`           // all legal actions, the best one first
	Proven engine.Outcome `json:"proven,omitzero"` // outcome under best play, if known

	// Lead is the number of points by which the network expects First to be ahead of Second at the
	// end of the game. It is nil if the network does not predict the lead. Searching does not
	// change it.
	Lead *float32 `json:"lead,omitempty"`

	Stop    think.Stop    `json:"-"` // why the search ended; think.Going if it runs or failed
	Elapsed time.Duration `json:"-"` // duration of the search so far
}

// Growth is a Thought that the server or the browser sends to a page while the search is running.
type Growth struct {
	Thought
	Position  string  `json:"position"`
	PerSecond float64 `json:"simulations_per_second"`
	Done      bool    `json:"done"` // the search has ended

	// Searches in the browser run in time slices. Made and Seconds describe the current slice. They
	// are not set for other searches.
	Made    int     `json:"made,omitempty"` // number of simulations in this slice
	Seconds float64 `json:"seconds,omitempty"`
}

// Move is the result of a search for one action.
type Move struct {
	Move   string         `json:"move"`
	Visits int            `json:"visits"`
	Prior  float32        `json:"prior"`            // the network's probability of the action
	Policy float32        `json:"policy,omitempty"` // the search's probability; see Root.Policy
	Value  float32        `json:"value"`            // value for First; 0 if Visits is 0
	Line   []string       `json:"line"`             // best play of both sides from this action on
	Proven engine.Outcome `json:"proven,omitzero"`  // outcome under best play, if known
}

// Summarise returns the current result of a search. The search must have made at least one
// simulation. actions is the size of the game's action space.
//
// The first element of Moves is the action that the search would play. The others are sorted by
// policy, then by visits, then by prior. If an action is proven to be worse than another one, its
// policy is 0.
func Summarise(search mcts.Search, actions int) Thought {
	p, root := search.Position(), search.Root()
	best := root.Choose(0)
	policy := make([]float32, actions)
	root.Policy(policy)
	edges := root.Edges(nil)
	slices.SortStableFunc(edges, func(x, y mcts.Edge) int {
		switch {
		case x.Action == best:
			return -1
		case y.Action == best:
			return 1
		}
		return cmp.Or(cmp.Compare(policy[y.Action], policy[x.Action]), y.Visits-x.Visits, cmp.Compare(y.Prior, x.Prior))
	})
	t := Thought{Value: root.Value(), Visits: search.Visits(), Proven: search.Proven(), Moves: make([]Move, len(edges))}
	line := make([]engine.Action, 0, 64)
	for i, e := range edges {
		names := Line(p, root.LineAfter(e.Action, append(line, e.Action)))
		t.Moves[i] = Move{
			Move: names[0], Visits: e.Visits, Prior: e.Prior, Policy: policy[e.Action],
			Value: e.Value, Line: names, Proven: e.Proven,
		}
	}
	t.Move, t.Line = t.Moves[0].Move, t.Moves[0].Line
	return t
}

// Expect sets Lead to the lead that the network expects in position p. If the options have no
// function for it, Expect does nothing; see think.Options.Lead.
func (t *Thought) Expect(s think.Options, p engine.Position) error {
	if s.Lead == nil {
		return nil
	}
	lead, err := s.Lead(p)
	t.Lead = &lead
	return err
}
