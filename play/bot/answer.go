package bot

import (
	"context"
	"fmt"
	"io"

	"dojo.example/engine"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// Answer reads questions of a protocol from r until it ends, searches the position of each and
// writes the chosen action to w, as the protocol's line of answer. The first search has the budget
// first, all others have later.
func Answer(ctx context.Context, t *think.Thinker, protocol engine.Protocol, r io.Reader, w io.Writer, first, later think.Budget) error {
	next := protocol.Questions(r)
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
		if _, err := fmt.Fprintln(w, protocol.LineOf(p, a)); err != nil {
			return fmt.Errorf("answer %d: %w", n, err)
		}
		budget, after = later, p.Play(a)
	}
}
