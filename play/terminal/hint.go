package terminal

import (
	"context"
	"fmt"

	"dojo.example/analysis"
	"dojo.example/engine"
	"dojo.example/internal/console"
	"dojo.example/think"
)

// hint shows what a search thinks: its policy as visits, and the values for
// the player to move.
func (s *Session) hint(ctx context.Context) error {
	p := s.Now()
	if p.Outcome() != engine.Ongoing {
		fmt.Fprintln(s.out, "none: the game is over")
		return nil
	}
	s.prompt.Wait("thinking…")
	why, err := s.hints.Think(ctx, p, s.hints.budget)
	s.prompt.Done()
	if err != nil {
		return err
	}
	t, sign := analysis.Summarise(s.hints.Search, s.Rules.Actions), p.ToMove().Sign()
	table := console.NewTable("action", "policy", "visits", "prior", "value", "proven")
	for _, c := range t.Moves[:min(8, len(t.Moves))] {
		value, proven := "", ""
		if c.Visits > 0 {
			value = fmt.Sprintf("%+.2f", sign*c.Value)
		}
		if c.Proven != engine.Ongoing {
			proven = analysis.Outcome(c.Proven)
		}
		table.Row(c.Move, console.Percent(c.Policy), c.Visits, console.Percent(c.Prior), value, proven)
	}
	fmt.Fprintln(s.out, table)
	fmt.Fprintln(s.out, console.Wrapped(fmt.Sprintf("value %+.2f for %s, %d visits:", sign*t.Value, p.ToMove(), t.Visits), t.Line, ""))
	if why == think.Full {
		fmt.Fprintf(s.out, "the search ended early, at %d of %d visits: %s\n", t.Visits, s.hints.budget.Visits, why)
	}
	if !s.hints.byModel {
		fmt.Fprintln(s.out, "no model judges: the values are those of random play from there on")
	}
	return nil
}
