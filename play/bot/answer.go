package bot

import (
	"context"
	"fmt"
	"io"

	"dojo.example/engine"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// Answer lets the thinker t play over a text protocol. It reads questions until the end of r. For
// each question it searches the position and writes the chosen action to w, in the form that the
// protocol prescribes. first is the budget of the first search, and later the budget of each
// further search.
func Answer(ctx context.Context, t *think.Thinker, protocol engine.Protocol, r io.Reader, w io.Writer, first, later think.Budget) error {
	next := protocol.Questions(r)
	budget, after := first, engine.Position(nil)
	for n := 1; ; n++ {
		p, err := next(after)
		// An unwrapped io.EOF means that the input ended between two questions.
		if err == io.EOF {
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
