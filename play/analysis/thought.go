package analysis

import (
	"cmp"
	"slices"
	"time"

	"dojo.example/engine"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// Thought is what a search has found in a position so far. The zero Thought belongs to a search
// that has not begun.
type Thought struct {
	Value  float32        `json:"value"`           // of the position, from First's side, in [-1, 1]
	Visits int            `json:"visits"`          // simulations that were made
	Move   string         `json:"move,omitempty"`  // the best action; "" if the game is over
	Line   []string       `json:"line,omitempty"`  // best play of both from here, Move first
	Moves  []Move         `json:"moves"`           // all legal actions, the best first
	Proven engine.Outcome `json:"proven,omitzero"` // how the game ends under best play, if that is known

	// Lead is by how many points the network expects First to be ahead at the end of the game;
	// nil if it does not say. No search has improved it.
	Lead *float32 `json:"lead,omitempty"`

	Stop    think.Stop    `json:"-"` // why the search has ended: think.Going until then, and after an error
	Elapsed time.Duration `json:"-"` // how long the search had gone on
}

// Growth is a Thought of a search that is running, as pages get it.
type Growth struct {
	Thought
	Position  string  `json:"position"`
	PerSecond float64 `json:"simulations_per_second"`
	Done      bool    `json:"done"` // nothing more will come

	// In a browser, where a search is made in slices: of this slice.
	Made    int     `json:"made,omitempty"` // simulations
	Seconds float64 `json:"seconds,omitempty"`
}

// Move is what a search has found of one action.
type Move struct {
	Move   string         `json:"move"`
	Visits int            `json:"visits"`
	Prior  float32        `json:"prior"`            // the network's probability of the action, without a search
	Policy float32        `json:"policy,omitempty"` // the search's probability of the action (mcts.Root.Policy)
	Value  float32        `json:"value"`            // after the action, from First's side; 0 if Visits is 0
	Line   []string       `json:"line"`             // best play of both, this action first
	Proven engine.Outcome `json:"proven,omitzero"`  // how the game ends after it under best play, if that is known
}

// Summarise returns what a search has found so far; actions is the number of actions of its
// game. At least one simulation must have been made. The first move is the one that the search
// would play. The others are sorted by their policy, which is 0 for actions that are proven to
// be worse than another, then by visits, then by prior.
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

// Expect fills in the Lead of a position, if the options say how; see think.Options.Lead.
func (t *Thought) Expect(s think.Options, p engine.Position) error {
	if s.Lead == nil {
		return nil
	}
	lead, err := s.Lead(p)
	t.Lead = &lead
	return err
}
