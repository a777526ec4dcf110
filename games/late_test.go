package games_test

import (
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/games"
)

// Late must be false at the start of each game whose states implement engine.LateReporter. It must
// be true at the end of some games.
func TestLate(t *testing.T) {
	for _, g := range games.All {
		rng := rand.New(rand.NewPCG(1, 2))
		if _, ok := g.Start(rng).State().(engine.LateReporter); !ok {
			continue
		}
		late := 0
		for range 100 {
			p := g.Start(rng)
			if e := p.State().(engine.LateReporter); e.Late() {
				t.Fatalf("%s: it is late at the start %s", g.Name, p)
			}
			for p.Outcome() == engine.Ongoing {
				legal := p.Legal(nil)
				p = p.Play(legal[rng.IntN(len(legal))])
			}
			if p.State().(engine.LateReporter).Late() {
				late++
			}
		}
		t.Logf("%s: %d of 100 random games end late", g.Name, late)
		if late == 0 {
			t.Errorf("%s: no random game of 100 ends late", g.Name)
		}
	}
}
