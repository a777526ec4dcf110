package propose

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dojo.example/configs"
	"dojo.example/configs/cost"
	"dojo.example/engine"
)

// small returns a trial of Connect Four with two tiny generations for each set. Its clock advances
// only at the end of a generation. jump makes it advance by a minute at its second next reading.
func small(t *testing.T) (x *trial, jump func(), tried *[]string) {
	t.Helper()
	s := newSettings("connectfour")
	s.Train.Generations, s.Train.Lag, s.Train.Passes = 10_000, 0, 1
	s.Network.Sparse.Columns = 96
	s.setSize(2, 2)
	var now time.Duration
	readings, sets := 0, []string{}
	return &trial{
		opt: Options{
			Game: rules(t, "connectfour"), Workers: 1,
			Variants: []engine.Game{rules(t, "connectfour:features=none"), rules(t, "connectfour:features=patterns")},
			Clock: func() time.Duration {
				if readings--; readings == 0 {
					now += time.Minute
				}
				return now
			},
			Progress: func(_ int, trying string) {
				now += 50 * time.Millisecond
				if !slices.Contains(sets, trying) {
					sets = append(sets, trying)
				}
			},
		},
		runs: s, narrow: fewColumns, share: 100 * time.Millisecond, games: 100,
	}, func() { readings = 2 }, &sets
}

// scored is a Compare for which the first player scores the given share against the second one, or
// nothing if scores does not list their match.
func scored(t *testing.T, scores map[string]float64) func(context.Context, Player, Player, int) (float64, float64, error) {
	return func(_ context.Context, a, b Player, games int) (float64, float64, error) {
		if !strings.HasPrefix(a.Name, a.Model.Game+" ") || !strings.HasPrefix(b.Name, b.Model.Game+" ") || games != 100 ||
			min(a.Simulations, b.Simulations) != simulations || max(a.Simulations, b.Simulations) > 4*simulations {
			t.Errorf("%d games of %s (%s, %d) against %s (%s, %d)", games, a.Name, a.Model.Game, a.Simulations, b.Name, b.Model.Game, b.Simulations)
		}
		score := scores[a.Name+" > "+b.Name]
		return score, score - 0.1, nil
	}
}

// A set replaces the best one only if it wins clearly. The sets that are tried depend on the best one
// so far.
func TestFind(t *testing.T) {
	const usual, narrow = "connectfour with 96 columns", "connectfour with 64 columns"
	const none, patterns = "connectfour:features=none with 64 columns", "connectfour:features=patterns with 64 columns"
	const rows = " and no action rows"
	for name, c := range map[string]struct {
		scores map[string]float64
		want   string
		tried  []string
	}{
		"chance": {map[string]float64{narrow + " > " + usual: 0.59}, usual, []string{usual, narrow, none, patterns, usual + rows}},
		"patterns": {map[string]float64{narrow + " > " + usual: 0.7, patterns + " > " + narrow: 0.8, patterns + rows + " > " + patterns: 0.65}, patterns + rows,
			[]string{usual, narrow, none, patterns, "connectfour:features=patterns with 96 columns", patterns + rows}},
		"no features": {map[string]float64{none + " > " + usual: 0.8}, none, []string{usual, narrow, none, patterns, "connectfour:features=none with 96 columns"}},
	} {
		t.Run(name, func(t *testing.T) {
			trial, _, tried := small(t)
			trial.opt.Compare = scored(t, c.scores)
			best, err := trial.find(t.Context())
			if err != nil || best.String() != c.want || !slices.Equal(*tried, c.tried) || len(trial.tried) != len(c.tried) {
				t.Errorf("the best set is %s, %v, want %s; tried: %q", best, err, c.want, trial.tried)
			}
		})
	}
}

// With equal readings of the clock, a trial gives equal results.
func TestTrialRepeats(t *testing.T) {
	var want string
	for range 2 {
		trial, _, _ := small(t)
		trial.opt.Compare = scored(t, nil)
		best, err := trial.find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(best.model.Hash(), best.units, trial.tried)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("the trials give\n%s\n%s", want, got)
		}
	}
}

// A set whose first generations take much too long is out. The trial goes on with the next one.
func TestSlowSet(t *testing.T) {
	trial, jump, _ := small(t)
	matches := 0
	trial.opt.Compare = func(context.Context, Player, Player, int) (float64, float64, error) {
		if matches++; matches == 1 {
			jump()
		}
		return 0.5, 0.4, nil
	}
	best, err := trial.find(t.Context())
	if err != nil || best.columns != 96 || matches != 3 || !strings.HasSuffix(trial.tried[2], "0 generations, too slow") {
		t.Errorf("after %d matches, the best set is %s, %v; tried: %q", matches, best, err, trial.tried)
	}
}

// An interrupted trial leaves no files behind.
func TestInterruptedTrial(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	trial, _, _ := small(t)
	ctx, cancel := context.WithCancel(t.Context())
	trial.opt.Compare = func(ctx context.Context, _, _ Player, _ int) (float64, float64, error) {
		cancel()
		return 0, 0, ctx.Err()
	}
	_, err := trial.find(ctx)
	left, _ := os.ReadDir(os.TempDir())
	if !errors.Is(err, context.Canceled) || len(left) > 0 {
		t.Errorf("it gives %v and leaves %v", err, left)
	}
}

// If the time is long enough, a run has several generations of at least a thousand positions, and a
// match has at least a hundred games. Otherwise no set is tried.
func TestEnoughTime(t *testing.T) {
	units := cost.Units{Simulation: 2 * time.Microsecond, Sample: 10 * time.Microsecond, Game: 4 * time.Millisecond}
	for limit, want := range map[time.Duration]bool{10 * time.Second: false, time.Minute: false, 5 * time.Minute: true, time.Hour: true, 1000 * time.Hour: true} {
		s := newSettings("g")
		s.Cores, s.Length = 2, 40
		s.sized(positions/s.Length, s.Length)
		trial, enough := newTrial(Options{For: limit}, s, units)
		generations := float64(trial.share) / float64(units.Charge(trial.runs.work()))
		if enough != want || enough && (generations < fewGenerations || trial.runs.Positions() < fewPositions || trial.games < fewGames || trial.games > mostGames) {
			t.Errorf("for %v: %v, %.1f generations of %.0f positions, matches of %d games", limit, enough, generations, trial.runs.Positions(), trial.games)
		}
		if wide := trial.narrow == moreColumns; wide != (limit > shortRun) {
			t.Errorf("for %v: it tries %d columns", limit, trial.narrow)
		}
		if total := trialRuns * trial.share; total > min(limit/10, 3*time.Minute)*2 {
			t.Errorf("for %v: the runs take %v", limit, total)
		}
	}
}

// The preset names the best set and says what was tried.
func TestTried(t *testing.T) {
	s := newSettings("connectfour")
	s.For, s.Facts = "5m", Facts{Plies: 20, Openings: 50}
	s.setSize(64, 64)
	s.use(set{rules(t, "connectfour:features=patterns"), fewColumns, false})
	s.Train.Generations, s.Tried, s.Share = 5, []string{"this", "that"}, 8.5
	text, err := s.text()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := configs.Load(path)
	if err != nil || c.Game != "connectfour:features=patterns" || c.Network.Sparse.Columns != fewColumns || c.Network.ActionRows ||
		!strings.Contains(string(text), "8.5 s of processor time each") || !strings.Contains(string(text), "\n#   that\n") {
		t.Errorf("%+v, %v of\n%s", c.Network, err, text)
	}
}
