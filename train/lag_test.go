package train_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/train"
)

// A run with a lag gives the same bytes for the same seed, with 1, 2 or 5 workers, and even if it
// is killed often.
func TestLagIsDeterministic(t *testing.T) {
	dir := t.TempDir()
	const lag = "train.lag=1"
	alone := filepath.Join(dir, "1")
	if err := loop(t.Context(), alone, 1, lag); err != nil {
		t.Fatal(err)
	}
	want := results(t, alone)
	for _, workers := range []int{2, 5} {
		got := filepath.Join(dir, fmt.Sprint(workers))
		if err := loop(t.Context(), got, workers, lag); err != nil {
			t.Fatal(err)
		}
		compare(t, results(t, got), want)
	}
	killed(t, want, 6, lag)
}

// With a lag, the games of generation g are played by the model that is the best after generation
// g−2. In the gate match, the candidate still plays against the best model of all.
func TestLagPlayers(t *testing.T) {
	for lag := range 2 {
		dir := filepath.Join(t.TempDir(), "run")
		if err := loop(t.Context(), dir, 2, fmt.Sprint("train.lag=", lag)); err != nil {
			t.Fatal(err)
		}
		f := rundir.Folder(dir)
		all, err := train.ReadMetrics(f)
		if err != nil {
			t.Fatal(err)
		}
		best := func(g int) string {
			if g < 0 {
				return model.NoModel
			}
			return all[g].Best
		}
		for g, m := range all {
			h, _, err := data.ReadShard(f.Shard(g, 0), data.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if want := best(g - 1 - lag); m.Player != want || h.Model != want {
				t.Errorf("lag %d, generation %d: its record says that %s played, its shards %s, want %s", lag, g, m.Player, h.Model, want)
			}
			games, err := os.ReadFile(f.Gate(g))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(games), fmt.Sprintf(`"second":%q`, best(g-1))) {
				t.Errorf("lag %d, generation %d: its candidate did not meet %s", lag, g, best(g-1))
			}
		}
		if best(0) == model.NoModel {
			t.Error("no candidate was promoted: the test shows nothing")
		}
	}
}

// With a lag, the games of the next generation are played before the current generation is
// committed. The games of the generation after that are not played yet.
func TestLagPlaysAhead(t *testing.T) {
	opt, err := tiny(filepath.Join(t.TempDir(), "run"), 2)
	if err != nil {
		t.Fatal(err)
	}
	opt.Train.Lag = 1
	r, err := train.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Generation(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the games of the next generation", func() bool {
		missing, err := opt.Folder.Missing(1, opt.Selfplay.Shards())
		return err == nil && len(missing) == 0
	})
	if shards, err := opt.Folder.ShardsOf(2); err != nil || len(shards) > 0 {
		t.Errorf("%d shards of a generation whose player is not known, %v", len(shards), err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
