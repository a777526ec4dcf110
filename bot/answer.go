package bot

import (
	"context"
	"fmt"
	"io"

	"dojo.example/analysis"
	"dojo.example/engine"
	"dojo.example/think"
)

// Answer searches each position that next returns and writes the chosen action as a line, until
// next returns io.EOF. next gets the position after the last answer, or nil at first; see
// engine.Protocol. The first search has the budget first, all others have later.
func Answer(ctx context.Context, t *think.Thinker, next func(after engine.Position) (engine.Position, error), w io.Writer, first, later think.Budget) error {
	budget, after := first, engine.Position(nil)
	for n := 1; ; n++ {
		p, err := next(after)
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
		a := t.Choose()
		if _, err := fmt.Fprintln(w, p.ActionString(a)); err != nil {
			return fmt.Errorf("answer %d: %w", n, err)
		}
		budget, after = later, p.Play(a)
	}
}
