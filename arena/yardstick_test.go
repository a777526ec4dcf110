package arena

import (
	"context"
	"errors"
	"testing"
	"time"
)

// The yardstick loses no game of tic-tac-toe, by nodes or by time, and answers to
// a cancelled context at once.
func TestYardstick(t *testing.T) {
	for _, b := range []yardstickBudget{{nodes: 100_000}, {time: 100 * time.Millisecond}} {
		r := match(t, Options{A: Yardstick(alphaBetaSearch, b), B: AlphaBeta(9), Games: 4})
		if r.Draws != 4 {
			t.Errorf("with %+v it wins %d, loses %d and draws %d games against perfect play, want 4 draws", b, r.Wins, r.Losses, r.Draws)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := Yardstick(alphaBetaSearch, yardstickBudget{time: time.Hour})()
	p.NewGame(1)
	if _, err := p.Choose(ctx, board.Start(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, it says %v", err)
	}
}
