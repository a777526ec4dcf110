package arena

import (
	"context"
	"testing"

	"dojo.example/engine"
)

// Openings are only as long as necessary for each pair to have its own. Tic-tac-toe has 72 openings
// of two plies, and at most 700 openings of any length.
func TestPlies(t *testing.T) {
	half := &Balance{Fits: func(_ context.Context, p engine.Position) (bool, error) { return p.String()[0] == '.', nil }}
	for _, c := range []struct {
		games, plies, least, most int
		balance                   *Balance
	}{
		{100, 2, 50, 50, nil}, {144, 2, 72, 72, nil}, {146, 3, 73, 73, nil}, {1_000_000, 5, 600, 700, nil}, {144, 3, 72, 72, half},
	} {
		plies, openings, err := Plies(t.Context(), Options{Game: board, Games: c.games, Seed: 1, OpeningPlies: 9, Balanced: c.balance})
		if err != nil || plies != c.plies || openings < c.least || openings > c.most {
			t.Errorf("%d games: %d openings of %d plies, %v; want %d to %d of %d", c.games, openings, plies, err, c.least, c.most, c.plies)
		}
	}
	if n, err := Openings(t.Context(), Options{Game: board, Games: 1000, Seed: 1, OpeningPlies: 1}); n != 9 || err != nil {
		t.Errorf("of one ply %d openings are found, %v; want 9", n, err)
	}
}
