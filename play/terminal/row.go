package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dojo.example/analysis"
	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/internal/console"
)

// RowText shows a row of a shard to people: the board, the action played, and what the search
// thought of it.
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
	return fmt.Sprintf("game %d, ply %d, %s to move, %d actions to the end\n\n%s%s\nplays   %s\npolicy  %s\nvalue   %+.2f for first; in the end %s\n",
		r.Game, r.Ply, p.ToMove(), r.TurnsLeft, analysis.Drawing(p), r.Position,
		name, policy, r.Value, analysis.Outcome(engine.OutcomeOf(int(r.Outcome)))), nil
}

// nameOf is the name of a legal action.
func nameOf(p engine.Position, action int32) (string, error) {
	if !slices.Contains(p.Legal(nil), engine.Action(action)) {
		return "", fmt.Errorf("action %d is not legal in %q", action, p)
	}
	return p.ActionString(engine.Action(action)), nil
}

// policyText names the likeliest actions with their shares.
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
