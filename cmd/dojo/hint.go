package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dojo/engine"
	"dojo/mcts"
	"dojo/think"
)

// hint shows what a search thinks: its policy as visits, and the values for
// the player to move.
func (s *session) hint(ctx context.Context) error {
	p := s.now()
	if p.Outcome() != engine.Ongoing {
		fmt.Fprintln(s.out, "none: the game is over")
		return nil
	}
	why, err := s.thinker.Think(ctx, p, think.Budget{Visits: s.simulations})
	if err != nil {
		return err
	}
	search, sign := s.thinker.Search, p.ToMove().Sign()
	edges := search.Edges(nil)
	slices.SortStableFunc(edges, func(x, y mcts.Edge) int { return y.Visits - x.Visits })
	policy := make([]float32, s.game.Actions)
	search.Policy(policy)
	table := newGrid("action", "policy", "visits", "prior", "value", "proven")
	for _, e := range edges[:min(8, len(edges))] {
		value, proven := "", ""
		if e.Visits > 0 {
			value = fmt.Sprintf("%+.2f", sign*e.Value)
		}
		if e.Proven != engine.Ongoing {
			proven = outcomeText(e.Proven)
		}
		table.row(p.ActionString(e.Action), percent(policy[e.Action]), e.Visits, percent(e.Prior), value, proven)
	}
	fmt.Fprintln(s.out, table.writer.Render())
	fmt.Fprintf(s.out, "value %+.2f for %s, %d visits: %s\n",
		sign*search.Value(), p.ToMove(), search.Visits(), strings.Join(names(p, search.Line(nil)), ", "))
	if why == think.Full {
		fmt.Fprintf(s.out, "the search ended early, at %d of %d visits: %s\n", search.Visits(), s.simulations, why)
	}
	return nil
}

func percent(share float32) string { return fmt.Sprintf("%.1f %%", 100*share) }
