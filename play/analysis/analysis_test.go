package analysis_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/play/analysis"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

func position(t *testing.T, text string) engine.Position {
	t.Helper()
	s, err := tictactoe.Rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Forget(s)
}

// Pages and scripts rely on the exact JSON format of a position.
func TestPositionForm(t *testing.T) {
	for text, want := range map[string]string{
		"xxxoo....": `{"game":"tictactoe","position":"xxxoo....","to_move":"second","outcome":"first","legal":[]}`,
		"xoxoxo...": `{"game":"tictactoe","position":"xoxoxo...","to_move":"first","outcome":"ongoing","legal":["a1","b1","c1"]}`,
	} {
		got, err := json.Marshal(analysis.Describe("tictactoe", position(t, text)))
		if err != nil || string(got) != want {
			t.Errorf("%s is described as %s, %v; want %s", text, got, err, want)
		}
	}
	if d := analysis.Illustrate("tictactoe", position(t, ".........")); d.Drawing == "" {
		t.Error("an illustrated position has no drawing")
	}
}

// A Thought lists all actions, with the best one first. Its values are from First's perspective.
func TestSummarise(t *testing.T) {
	p := position(t, "oo.xx.x..") // Second is to move and can win at c3
	thinker := think.New(mcts.GameOf(tictactoe.Rules), think.Options{})
	if _, err := thinker.Think(t.Context(), p, think.Budget{Visits: 200}); err != nil {
		t.Fatal(err)
	}
	got := analysis.Summarise(thinker.Search, tictactoe.Rules.Actions)
	if got.Move != "c3" || got.Line[0] != "c3" || got.Value != -1 || got.Proven != engine.SecondWins || len(got.Moves) != 4 {
		t.Errorf("thought %+v, want c3 and the value -1, proven", got)
	}
	if first := got.Moves[0]; first.Move != "c3" || !slices.Equal(first.Line, got.Line) || first.Proven != engine.SecondWins {
		t.Errorf("the first move is %+v, want c3, proven", first)
	}
	byPolicy := func(x, y analysis.Move) int { return cmp.Compare(y.Policy, x.Policy) }
	if !slices.IsSortedFunc(got.Moves, byPolicy) {
		t.Errorf("moves %+v are not sorted by policy", got.Moves)
	}
}
