package arena

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/search/think"
)

// A match replaces each unbalanced opening by another random opening. The balanced openings are all
// different as long as the game has enough of them.
func TestBalancedOpenings(t *testing.T) {
	judge := Balanced(noughts, think.Options{Evaluator: model.Uniform}, 500, 0.1)
	balanced := func(p engine.Position) bool {
		ok, err := judge.Fits(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if draw, won := position(t, board, "x...o...."), position(t, board, "xo......."); !balanced(draw) || balanced(won) {
		t.Errorf("the judge takes %v for %v and %v for %v", draw, balanced(draw), won, balanced(won))
	}
	played := map[string]bool{}
	o := Options{A: Random(), B: Random(), Games: 40, Seed: 1, OpeningPlies: 2, Balanced: judge,
		Records: func(r Record) error { played[r.Opening] = true; return nil }}
	r := match(t, o)
	for text := range played {
		if !balanced(position(t, board, text)) {
			t.Errorf("%s is not balanced", text)
		}
	}
	if len(played) != 20 || r.Openings != 20 {
		t.Errorf("%d openings were played, %d in the result, want 20", len(played), r.Openings)
	}
	o.Game, o.Workers = board, 1
	o.Balanced = &Balance{Fits: func(context.Context, engine.Position) (bool, error) { return false, nil }}
	if _, err := Match(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no opening of 2 actions in 1000 tries is balanced") {
		t.Errorf("without any: %v", err)
	}
	broken := errors.New("broken")
	o.Balanced = &Balance{Fits: func(context.Context, engine.Position) (bool, error) { return false, broken }}
	if _, err := Match(t.Context(), o); !errors.Is(err, broken) {
		t.Errorf("a judge that fails: %v", err)
	}
}
