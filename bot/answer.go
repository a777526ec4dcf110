package bot

import (
	"context"
	"fmt"
	"io"

	"dojo.example/analysis"
	"dojo.example/engine"
	"dojo.example/think"
)

// Answer searches the positions that next returns, until that is io.EOF, and writes an action for
// each, one a line. next gets the position after the last answer, nil at first; see
// engine.Protocol. first is the budget of the first search, later that of the others.
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
