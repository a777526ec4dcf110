package codingame

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dojo/engine"
	"dojo/engine/onitama"
	"dojo/solve"
)

// The program's table of endings has the values of package solve, and the plies to the end.
func TestEndingsAreSolved(t *testing.T) {
	program := compile(t, CPP, small(t))
	for _, cards := range [][]int{{8, 6, 0, 12, 9}, {15, 1, 2, 3, 10}, {4, 5, 7, 11, 13}} {
		rng := rand.New(rand.NewPCG(3, uint64(cards[0])))
		e, err := onitama.NewEndings(cards, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := solve.NewTable(e)
		if err := want.Solve(t.Context(), 1, nil); err != nil {
			t.Fatal(err)
		}
		bot, err := converse(t.Context(), program, "table")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for turn := 0; turn < 50; { // the program counts the turns; a win is lost at the limit of 100
			s, ok := e.Position(rng.Uint32N(uint32(e.Placements())), rng.IntN(onitama.Deals), engine.First)
			if !ok {
				continue
			}
			v, _ := want.Value(s)
			answer, _, err := bot.ask(onitama.Classic.Protocols[0].Ask(engine.Forget(s), turn == 0))
			says := fmt.Sprintf("%d %d", map[solve.Result]int{solve.Won: 1, solve.Lost: 2, solve.Drawn: 3}[v.Result], v.Plies)
			if err != nil || answer != says {
				t.Fatalf("cards %v: in %q the program says %q, want %q; %v", cards, s, answer, says, err)
			}
			seen[answer]++
			turn++
		}
		if err := bot.close(); err != nil {
			t.Error(err)
		}
		if len(seen) < 6 {
			t.Errorf("cards %v: only the answers %v", cards, seen)
		}
	}
}
