package arena

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Alpha-beta loses no game of tic-tac-toe, by nodes or by time, and answers to
// a cancelled context at once.
func TestAlphaBeta(t *testing.T) {
	for _, b := range []AlphaBetaBudget{{Nodes: 100_000}, {Time: 100 * time.Millisecond}} {
		r := match(t, Options{A: AlphaBeta(alphaBetaSearch, b), B: perfect, Games: 4})
		if r.Draws != 4 {
			t.Errorf("with %+v it wins %d, loses %d and draws %d games against perfect play, want 4 draws", b, r.Wins, r.Losses, r.Draws)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := AlphaBeta(alphaBetaSearch, AlphaBetaBudget{Time: time.Hour}).Make()
	p.NewGame(1)
	if _, err := p.Choose(ctx, board.Start(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, it says %v", err)
	}
}
