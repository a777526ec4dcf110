package analysis

import (
	"slices"

	"dojo/engine"
	"dojo/mcts"
)

// Thought is what a search found of the position it stands at.
type Thought struct {
	Visits  int      `json:"visits"` // of the root
	Value   float32  `json:"value"`  // of the position, from First's side
	Move    string   `json:"move"`   // the best action
	Line    []string `json:"line"`   // best play of both from here
	Choices []Choice `json:"choices"`
}

// Choice is what a search found of one action.
type Choice struct {
	Action string         `json:"action"`
	Policy float32        `json:"policy"` // the search's: its share of good play
	Visits int            `json:"visits"`
	Prior  float32        `json:"prior"` // the network's opinion before the search
	Value  float32        `json:"value"` // from First's side; 0 if unvisited
	Proven engine.Outcome `json:"-"`     // how the game ends after it, if that is proven
}

// Summarise is what a search of a game with so many actions has found so far.
// Its choices are all legal actions, the most visited first.
func Summarise(search mcts.Search, actions int) Thought {
	p := search.Position()
	policy := make([]float32, actions)
	search.Policy(policy)
	t := Thought{
		Visits: search.Visits(), Value: search.Value(),
		Move: p.ActionString(search.Choose(0)), Line: Line(p, search.Line(nil)),
	}
	for _, e := range search.Edges(nil) {
		t.Choices = append(t.Choices, Choice{p.ActionString(e.Action), policy[e.Action], e.Visits, e.Prior, e.Value, e.Proven})
	}
	slices.SortStableFunc(t.Choices, func(x, y Choice) int { return y.Visits - x.Visits })
	return t
}
