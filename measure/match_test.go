package measure

import (
	"context"
	"io"
	"strings"
	"testing"

	"dojo.example/arena"
	"dojo.example/internal/console"
)

// A match that is stopped says what had been played until then.
func TestMatchStopped(t *testing.T) {
	m := Pairing{Names: [2]string{"a", "b"}, play: func(context.Context, arena.Options) (arena.Result, error) {
		return arena.Result{Wins: 3, Losses: 1, Draws: 2}, context.Canceled
	}}
	_, err := Match(t.Context(), console.Output{Out: io.Discard, Err: io.Discard}, Settings{Games: 10}, m)
	if want := "match of a against b, 6 of 10 games played: +3 −1 =2: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("a stopped match says %q, want %q and the cause", err, want)
	}
}
