package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dojo.example/arena"
	"dojo.example/configs/propose"
	"dojo.example/games"
	"dojo.example/model"
)

// Models that read different features of a game can be compared. An interrupt ends the match.
func TestCompareFeatures(t *testing.T) {
	game, err := games.ByName("connectfour")
	if err != nil {
		t.Fatal(err)
	}
	var players [2]propose.Player
	for i, name := range []string{"connectfour:features=none", "connectfour"} {
		c, err := model.Load(sparseCheckpoint(t, name))
		if err != nil {
			t.Fatal(err)
		}
		players[i] = propose.Player{Name: name, Model: c, Simulations: 8 + i}
	}
	done := 0
	match := arena.Options{Games: 8, Workers: 2, Progress: func(n int, _ arena.Result) { done = n }}
	score, low, err := compare(t.Context(), game, players, match)
	if err != nil || low < 0 || low > score || score > 1 || done != 8 {
		t.Errorf("after %d games the score is %v, at least %v, %v", done, score, low, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	match.Progress = func(int, arena.Result) { cancel() }
	match.Games = 10_000
	if _, _, err := compare(ctx, game, players, match); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted match gives %v", err)
	}
}

// If a game has several lists of features, the preset says what was tried, or that the time is too
// short.
func TestPresetFeatures(t *testing.T) {
	text := done(t, "", "preset", "connectfour", "--for", "10s", "--workers", "1")
	if !strings.Contains(text, "# 10s is too short to try other features of the game.\n") && !strings.Contains(text, "#   connectfour with 256 columns: ") {
		t.Errorf("the preset is\n%s", text)
	}
}
