package arena

import (
	"context"
	"errors"
	"testing"
	"time"

	"dojo.example/search/alphabeta"
)

// Alpha-beta never loses at tic-tac-toe, whether its search is limited by nodes or by time. With a
// cancelled context it returns immediately.
func TestAlphaBeta(t *testing.T) {
	for of, player := range map[string]Contestant{
		"nodes": AlphaBeta(alphaBetaSearch, alphabeta.Limit{Nodes: 100_000}, 0), "time": AlphaBeta(alphaBetaSearch, alphabeta.Limit{}, 100*time.Millisecond),
	} {
		r := match(t, Options{A: player, B: perfect, Games: 2})
		if r.Draws != 2 {
			t.Errorf("by %s it wins %d, loses %d and draws %d games against perfect play, want 2 draws", of, r.Wins, r.Losses, r.Draws)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := AlphaBeta(alphaBetaSearch, alphabeta.Limit{}, time.Hour).Make()
	p.NewGame(1)
	if _, err := p.Choose(ctx, board.Start(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, it says %v", err)
	}
}
