package bot

import (
	"context"
	"fmt"
	"io"

	"dojo.example/analysis"
	"dojo.example/engine"
	"dojo.example/think"
)

// Answer reads one position after another, as a protocol's reader does, and writes an action for
// each on a line of its own, until next returns io.EOF. The first search has a budget of its own.
func Answer(ctx context.Context, t *think.Thinker, next func() (engine.Position, error), w io.Writer, first, later think.Budget) error {
	budget := first
	for n := 1; ; n++ {
		p, err := next()
		if err == io.EOF { // itself, not wrapped: between questions
			return nil
		}
		if err != nil {
			return fmt.Errorf("question %d: %w", n, err)
		}
		if p.Outcome() != engine.Ongoing {
			return fmt.Errorf("question %d: the game is over in %q (%s)", n, p, analysis.Outcome(p.Outcome()))
		}
		if _, err := t.Think(ctx, p, budget); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w, p.ActionString(t.Choose())); err != nil {
			return fmt.Errorf("answer %d: %w", n, err)
		}
		budget = later
	}
}
