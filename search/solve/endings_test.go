package solve

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
)

// Endings agrees with exhaustive search. This is also true near the turn limit, where a win that
// comes too late is a draw. The table contains only positions with few pieces and with the five
// cards for which it was built.
func TestEndings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	made := Endings(onitama.Shuffled(testCards, rng), nil)
	prover := &Prover[onitama.State]{Nodes: 300_000}
	e := endings(t, fewStudents)
	decided, drawn := 0, 0
	for range 800 {
		fresh, ok := e.Position(rng.Uint32N(uint32(e.Placements())), rng.IntN(onitama.Deals), engine.Player(rng.IntN(2)))
		if !ok {
			continue
		}
		text := strings.TrimSuffix(fresh.String(), " 0") // remove the number of actions played
		s, err := onitama.Parse(fmt.Sprintf("%s %d", text, onitama.Turns-1-rng.IntN(6)))
		if err != nil {
			t.Fatal(err)
		}
		o, plies, ok := made.Find(&s)
		prover.reset()
		want, proved := prover.value(s)
		if !ok || !proved {
			t.Fatalf("%s: in the table %v, proved %v", s, ok, proved)
		}
		if decided++; want.Outcome == engine.Draw {
			decided--
			drawn++
		}
		if o != want.Outcome || plies != want.Plies {
			t.Errorf("%s: %v in %d plies, want %v", s, o, plies, want)
		}
	}
	start, other := onitama.Shuffled(testCards, rng), onitama.Shuffled([]int{1, 2, 3, 4, 5}, rng)
	if !made.Fit(&start) || made.Fit(&other) {
		t.Error("the table does not know its cards")
	}
	if _, _, ok := made.Find(&start); ok {
		t.Errorf("the table has %s", start)
	}
	stops := 0
	if half := Endings(start, func() bool { stops++; return stops > 3 }); half != nil {
		t.Error("stopped, and there is a table")
	}
	if decided < 100 || drawn < 100 {
		t.Errorf("%d decided and %d drawn positions are too few", decided, drawn)
	}
}
