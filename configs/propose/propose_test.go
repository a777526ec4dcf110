package propose

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dojo.example/configs"
	"dojo.example/engine"
	"dojo.example/games"
)

func rules(t *testing.T, name string) engine.Game {
	t.Helper()
	e, err := games.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return e.Game.Game
}

// Random games of tic-tac-toe have 7.6 plies and 5.5 legal actions per position on average. An
// eighth of the games are draws (Wikipedia: 12.7 %). There are 72 positions after two plies.
func TestFacts(t *testing.T) {
	measure := func(game string) Facts {
		f, err := Measure(t.Context(), rules(t, game), 1, func() bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := measure("tictactoe")
	if f.Plies < 7.3 || f.Plies > 7.9 || f.Legal < 5.2 || f.Legal > 5.8 || f.Most != 9 || f.Draws < 0.05 || f.Draws > 0.2 ||
		f.Openings < 60 || f.Openings > 72 || f.Margin != 0 || f.Active < 2 || f.Active > 4 {
		t.Errorf("%+v", f)
	}
	if f := measure("patchwork"); f.Margin < 15 || f.Margin > 60 {
		t.Errorf("nine of ten random games of Patchwork end within %v points", f.Margin)
	}
}

// Preset writes a valid configuration, and its numbers follow from the measured facts and the time.
func TestPreset(t *testing.T) {
	progress := 0
	text, err := Preset(t.Context(), Options{Game: rules(t, "tictactoe"), For: 10 * time.Second, Workers: 2, Progress: func(n int, _ string) { progress = n }})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := configs.Load(path)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if c.Game != "tictactoe" || c.Selfplay.Games < 32 || c.Train.Generations < 5 || c.Selfplay.TemperaturePlies != 3 || progress < 3 {
		t.Errorf("%d generations of the pilot give\n%s", progress, text)
	}
}

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{20 * time.Second: "20s", 5 * time.Minute: "5m", 10 * time.Hour: "10h", 90 * time.Second: "1m30s"} {
		if got := brief(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}

// An interrupted pilot run leaves no files behind.
func TestInterrupted(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Preset(ctx, Options{Game: rules(t, "tictactoe"), For: time.Hour, Workers: 1, Progress: func(int, string) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted pilot gives %v", err)
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}

// The comments of a preset say where the values come from.
func TestSettings(t *testing.T) {
	s := newSettings("g")
	s.For, s.Facts, s.Gate.OpeningPlies = "5m", Facts{Plies: 20, Openings: 5, Margin: 12}, 4
	text, err := s.text()
	if err != nil || !strings.Contains(string(text), "two plies lead to only 5 positions") || !strings.Contains(string(text), "margin: 12 ") {
		t.Errorf("%v in\n%s", err, text)
	}
}
