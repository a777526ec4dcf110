package measure

import (
	"context"
	"io"
	"strings"
	"testing"

	"dojo.example/arena"
	"dojo.example/engine/tictactoe"
)

// If a match is interrupted, its error message contains the result of the games so far.
func TestMatchStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	match := arena.Options{Game: tictactoe.Rules.Game(), A: arena.Greedy(), B: arena.Random(), Games: 10, OpeningPlies: 1}
	match.Source = func(ctx context.Context, p *arena.Pairs, finish arena.Finish) error {
		for pair := range 3 {
			games, err := p.Play(ctx, p.Players(), pair)
			if err != nil {
				return err
			}
			if _, err := finish(pair, games); err != nil {
				return err
			}
		}
		stop()
		return ctx.Err()
	}
	_, err := Match(ctx, io.Discard, match)
	if want := "match of greedy against random, 6 of 10 games played: +"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("a stopped match says %q, want %q and the cause", err, want)
	}
}
