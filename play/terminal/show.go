package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/internal/bounded"
	"dojo.example/internal/console"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// PositionText formats a position as readable text: the board, the notation and the legal actions.
func PositionText(p engine.Position) string {
	text := fmt.Sprintf("%s\n%s\n", analysis.Drawing(p), p)
	if p.Outcome() != engine.Ongoing {
		return text + fmt.Sprintf("game over: %s\n", analysis.Outcome(p.Outcome()))
	}
	const most = 60 // nobody reads a longer list
	names := analysis.Legal(p)
	if n := len(names); n > most {
		names = append(names[:most], fmt.Sprintf("and %d more (--json lists all)", n-most))
	}
	for i := range names[1:] {
		names[i] += ","
	}
	return text + bounded.Wrap(p.ToMove().String()+" to move:", names) + "\n"
}

// AnalysisText formats position p and the result t of its search as readable text, with the moves
// in t. model is the name of the model that searched.
func AnalysisText(p engine.Position, t analysis.Thought, model string) string {
	if p.Outcome() != engine.Ongoing {
		return PositionText(p)
	}
	return fmt.Sprintf("%s\n%s\n", analysis.Drawing(p), p) + thoughtText(p, t, "model "+console.Ending(model, console.NameWidth))
}

// thoughtText formats the result of a search without the position. The parameter by describes who
// searched.
func thoughtText(p engine.Position, t analysis.Thought, by string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s to move, value %s for first\n", p.ToMove(), value(t.Value, t.Proven))
	fmt.Fprintf(&b, "after %s simulations by %s: %s\n\n", console.Grouped(float64(t.Visits)), by, t.Stop)
	width := len("move")
	for _, m := range t.Moves {
		width = max(width, len(m.Move))
	}
	line := func(move, visits, prior, value, then string) {
		fmt.Fprintln(&b, bounded.Fit(fmt.Sprintf("%-*s %9s %7s %7s  ", width, move, visits, prior, value), then))
	}
	line("move", "visits", "prior", "value", "then")
	for _, m := range t.Moves {
		v := ""
		if m.Visits > 0 || m.Proven != engine.Ongoing {
			v = value(m.Value, m.Proven)
		}
		line(m.Move, console.Grouped(float64(m.Visits)), console.Percent(m.Prior), v, strings.Join(m.Line[1:], ", "))
	}
	return b.String()
}

// value formats a value from First's perspective, with an exclamation mark if it is proven.
func value(v float32, proven engine.Outcome) string {
	if proven != engine.Ongoing {
		return fmt.Sprintf("%+.2f!", v)
	}
	return fmt.Sprintf("%+.2f", v)
}

// Search searches a position. If w is a terminal, Search shows its progress there.
func Search(ctx context.Context, a *analysis.Analyser, p engine.Position, b think.Budget, w io.Writer) (analysis.Thought, error) {
	total := cmp.Or(int(b.Time.Milliseconds()), b.Visits)
	progress := console.NewBar(w, total, "searching")
	defer progress.Clear()
	return a.Begin(ctx, p, b, 0).Watch(100*time.Millisecond, func(t analysis.Thought) error {
		done := t.Visits
		if b.Time > 0 {
			done = int(t.Elapsed.Milliseconds())
		}
		progress.Set(min(done, total), fmt.Sprintf("%d simulations, value %+.2f", t.Visits, t.Value))
		return nil
	})
}

// RowText formats a row of a shard (a file of training data) as readable text: the board, the
// action that was played, and the result of the search.
func RowText(game engine.Game, r data.Row) (string, error) {
	p, err := game.Parse(r.Position)
	if err != nil {
		return "", err
	}
	name, err := nameOf(p, r.Action)
	if err != nil {
		return "", err
	}
	policy, err := policyText(p, r.Policy)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("game %d, ply %d, %s to move, %d actions to the end\n\n%s%s\nplays   %s\npolicy  %s\nvalue   %+.2f for first\nresult  %s\n",
		r.Game, r.Ply, p.ToMove(), r.TurnsLeft, analysis.Drawing(p), r.Position,
		name, policy, r.Value, analysis.Outcome(engine.OutcomeOf(int(r.Outcome)))), nil
}

// nameOf returns the name of a legal action.
func nameOf(p engine.Position, action int32) (string, error) {
	if !slices.Contains(p.Legal(nil), engine.Action(action)) {
		return "", fmt.Errorf("action %d is not legal in %q", action, p)
	}
	return p.ActionString(engine.Action(action)), nil
}

// policyText formats the most likely actions of a policy with their probabilities.
func policyText(p engine.Position, policy []data.Weight) (string, error) {
	const most = 4
	policy = slices.SortedStableFunc(slices.Values(policy), func(x, y data.Weight) int { return cmp.Compare(y.Weight, x.Weight) })
	var parts []string
	for _, w := range policy[:min(most, len(policy))] {
		name, err := nameOf(p, w.Action)
		if err != nil {
			return "", err
		}
		parts = append(parts, name+" "+console.Percent(w.Weight))
	}
	if more := len(policy) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", "), nil
}
