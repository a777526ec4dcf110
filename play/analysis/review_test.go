package analysis_test

import (
	"errors"
	"testing"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// game returns the positions and actions of a game of tic-tac-toe whose first position is text. The
// moves are names of cells.
func game(t *testing.T, text string, moves ...string) (positions []engine.Position, actions []engine.Action) {
	t.Helper()
	p := position(t, text)
	positions = append(positions, p)
	for _, m := range moves {
		action, err := engine.ParseAction(p, m)
		if err != nil {
			t.Fatal(err)
		}
		p = p.Play(action)
		positions, actions = append(positions, p), append(actions, action)
	}
	return positions, actions
}

// A move that gives away a proven win has an exact loss, and so has the opponent's move that gives
// the win back. Good moves have no loss. Values are from First's perspective. Losses are from the
// perspective of the player who moved.
func TestReview(t *testing.T) {
	a := started(analysis.Options{Workers: 2, Lanes: 2}, func(*model.Batch) {})
	//   x x .      First wins at c3. Otherwise Second can win at c2.
	//   o o .
	//   . . .
	positions, actions := game(t, "xx.oo....", "a1", "b1", "c3")
	want := []struct {
		player, move, best string
		value, loss        float32
		mark               analysis.Mark
	}{
		{"first", "a1", "c3", -1, 2, "??"},
		{"second", "b1", "c2", 1, 2, "??"},
		{"first", "c3", "c3", 1, 0, ""},
	}
	n := 0
	err := a.Review(t.Context(), positions, actions, think.Budget{Visits: 2000}, func(r analysis.Reviewed) error {
		w := want[n]
		n++
		if r.Ply != n || r.Player != w.player || r.Move != w.move || r.Best != w.best || r.Value != w.value || r.Loss != w.loss || r.Mark != w.mark || !r.Exact || r.Line[0] != r.Best {
			t.Errorf("action %d is reviewed %+v, want %+v, exact", n, r, w)
		}
		return nil
	})
	if err != nil || n != len(want) {
		t.Errorf("%d actions are reviewed, %v", n, err)
	}
	enough := errors.New("enough")
	if err := a.Review(t.Context(), positions, actions, think.Budget{Visits: 10}, func(analysis.Reviewed) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("an error of tell gives %v", err)
	}
}

// If the values are not proven, the loss is the value of the best action minus the value after the
// played action. A loss is never negative.
func TestJudge(t *testing.T) {
	p := position(t, ".........")
	second := position(t, "x........")
	for _, c := range []struct {
		p           engine.Position
		best, after float32
		loss        float32
		mark        analysis.Mark
	}{
		{p, 0.5, 0.45, 0.05, ""},
		{p, 0.5, 0.375, 0.125, "?!"},
		{p, 0.5, 0.25, 0.25, "?"},
		{p, 0.5, -0.5, 1, "??"},
		{p, 0.5, 0.75, 0, ""},
		{second, -0.5, 0.5, 1, "??"},
		{second, -0.5, -0.75, 0, ""},
	} {
		before := analysis.Thought{Moves: []analysis.Move{{Move: "c3", Value: c.best, Line: []string{"c3"}}}}
		r := analysis.Judge(1, c.p, 1, before, analysis.Thought{Value: c.after})
		if d := r.Loss - c.loss; d > 1e-6 || d < -1e-6 || r.Mark != c.mark || r.Exact {
			t.Errorf("best %v, then %v for %v: %+v, want loss %v and mark %q", c.best, c.after, c.p.ToMove(), r, c.loss, c.mark)
		}
	}
}
