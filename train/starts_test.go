package train_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo/data"
	"dojo/games"
	"dojo/run"
	"dojo/selfplay"
	"dojo/train"
)

const restarts = "selfplay.restarts=0.5"

// With restarts too, the same seed gives the same bytes with any number of workers, and
// however often the run is killed, with a lag and without.
func TestRestartsAreDeterministic(t *testing.T) {
	for lag := range 2 {
		settings := []string{restarts, fmt.Sprint("train.lag=", lag)}
		dir := t.TempDir()
		alone, together := filepath.Join(dir, "1"), filepath.Join(dir, "3")
		if err := loop(t.Context(), alone, 1, settings...); err != nil {
			t.Fatal(err)
		}
		if err := loop(t.Context(), together, 3, settings...); err != nil {
			t.Fatal(err)
		}
		want := results(t, alone)
		compare(t, results(t, together), want)
		killed(t, want, 4, settings...)
	}
}

// Games that restart begin at the starts of the newest generation that was committed when
// they were begun, and the record counts them apart.
func TestRestartsBeginAtSurprises(t *testing.T) {
	game, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	for lag := range 2 {
		f := run.Folder(filepath.Join(t.TempDir(), "run"))
		if err := loop(t.Context(), string(f), 2, restarts, fmt.Sprint("train.lag=", lag)); err != nil {
			t.Fatal(err)
		}
		all, err := train.ReadMetrics(f)
		if err != nil {
			t.Fatal(err)
		}
		lists, restarted := map[int]*selfplay.Starts{}, 0
		for g, m := range all {
			var rows []data.Row
			shards, err := f.ShardsOf(g)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range shards {
				h, some, err := data.ReadShard(s.Path)
				if err != nil {
					t.Fatal(err)
				}
				if list := lists[g-1-lag]; h.Starts != list.ID() {
					t.Errorf("lag %d: %s is of the list %q, want that of generation %d, %q", lag, s.Path, h.Starts, g-1-lag, list.ID())
				}
				rows = append(rows, some...)
			}
			opt, err := tiny(string(f), 1, restarts)
			if err != nil {
				t.Fatal(err)
			}
			if err := lists[g-1-lag].Check(rows, opt.Selfplay); err != nil {
				t.Errorf("lag %d, generation %d: %v", lag, g, err)
			}
			want, err := selfplay.Surprises(rows, opt.Selfplay.Games/2)
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(f.Starts(g))
			if err != nil || !bytes.Equal(file, want) {
				t.Errorf("lag %d: the starts of generation %d are\n%s%v, want\n%s", lag, g, file, err, want)
			}
			if lists[g], err = selfplay.ParseStarts(game.Game, file); err != nil {
				t.Fatal(err)
			}
			if s := data.Stats(rows); m.Restarted != s.Restarted || m.GameLength != s.MeanLength || m.Games != opt.Selfplay.Games {
				t.Errorf("lag %d, generation %d: the record says %+v, the games are %+v", lag, g, m, s)
			}
			restarted += m.Restarted.Games
		}
		if restarted < 4 {
			t.Errorf("lag %d: %d games began at a start: the test shows nothing", lag, restarted)
		}
	}
}

// After a generation without surprises all games are dealt, and their shards are as those
// of a run without restarts.
func TestNoSurprises(t *testing.T) {
	dir := t.TempDir()
	if err := loop(t.Context(), dir, 2, restarts); err != nil {
		t.Fatal(err)
	}
	f := run.Folder(dir)
	if err := os.WriteFile(f.Starts(2), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := loop(t.Context(), dir, 2, restarts, "train.generations=4"); err != nil {
		t.Fatal(err)
	}
	h, rows, err := data.ReadShard(f.Shard(3, 0))
	if err != nil || h.Starts != "" || data.Stats(rows).Restarted.Games > 0 {
		t.Errorf("without starts the shard is of the list %q: %+v, %v", h.Starts, data.Stats(rows), err)
	}
}

// A share of restarts that is less than a game is refused.
func TestTooFewRestarts(t *testing.T) {
	err := loop(t.Context(), t.TempDir(), 1, "selfplay.restarts=0.02")
	if err == nil || !strings.Contains(err.Error(), "selfplay: restarts: 0.02 of 48 games") {
		t.Errorf("restarts of less than a game give %v", err)
	}
}

// A list of starts that is gone, or is not the one from which the games began, is one
// clear error.
func TestBrokenStarts(t *testing.T) {
	dir := t.TempDir()
	if err := loop(t.Context(), dir, 2, restarts); err != nil {
		t.Fatal(err)
	}
	path := run.Folder(dir).Starts(1)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func() error{
		"000001.jsonl: line ":        func() error { return os.WriteFile(path, whole[:len(whole)-9], 0o644) },
		"from the list of starts \"": func() error { return os.WriteFile(path, whole[bytes.IndexByte(whole, '\n')+1:], 0o644) },
		"000001.jsonl":               func() error { return os.Remove(path) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		err := loop(t.Context(), dir, 2, restarts, "train.generations=4")
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v should be one line that says %q", err, says)
		}
	}
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := loop(t.Context(), dir, 2, restarts, "train.generations=4"); err != nil {
		t.Errorf("with the list back in its place: %v", err)
	}
}
