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
	"dojo.example/configs/cost"
)

// Whatever the pilot runs measure, the bounds in SETTINGS.md hold. A run with the preset uses up
// its time, or the preset contains a warning.
func TestBounds(t *testing.T) {
	for name, c := range map[string]struct {
		simulation time.Duration // cost of one simulation; the other costs are proportional to it
		plies      float64
		limit      time.Duration
		warns      bool
	}{
		"fast":             {100, 8, 10 * time.Second, false},
		"usual":            {time.Microsecond, 40, 5 * time.Minute, false},
		"hours":            {time.Microsecond, 40, 1000 * time.Hour, false},
		"busy":             {10 * time.Microsecond, 7.6, 10 * time.Second, true},
		"slow":             {300 * time.Microsecond, 30, time.Minute, true},
		"slow, with time":  {300 * time.Microsecond, 30, 10 * time.Hour, false},
		"long games":       {time.Microsecond, 3_000, 5 * time.Minute, false},
		"very long games":  {time.Microsecond, 50_000, time.Hour, false},
		"games of one ply": {time.Microsecond, 1, time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSettings("g")
			s.Cores, s.Length, s.Facts.Openings = 2, c.plies, 40
			units := cost.Units{Simulation: c.simulation, Sample: 4 * c.simulation, Game: time.Duration(32 * c.plies * float64(c.simulation))}
			s.fit(units, c.limit)
			p := s.Positions()
			if p < minPositions || p > maxPositions || s.Train.Generations < minGenerations || s.Train.Generations > maxGenerations || s.Selfplay.Games%s.Selfplay.ShardGames != 0 {
				t.Errorf("%d generations of %d games in shards of %d, %.0f positions", s.Train.Generations, s.Selfplay.Games, s.Selfplay.ShardGames, p)
			}
			if (s.Warning != "") != c.warns {
				t.Errorf("the warning is %q", s.Warning)
			}
			used := time.Duration(float64(s.Train.Generations) * s.Seconds * 1e9)
			if s.Train.Generations < maxGenerations && !c.warns && (used < c.limit/2 || used > c.limit) || c.warns && s.Train.Generations != minGenerations {
				t.Errorf("%d generations take %v of %v", s.Train.Generations, used, c.limit)
			}
			text, err := s.text()
			if err != nil || strings.Contains(string(text), "# 10s is too short for g: ") != (name == "busy") {
				t.Errorf("%v in\n%s", err, text)
			}
		})
	}
}

// propose creates a preset for wide, a game with 20,000 actions. It measures time with wideClock,
// which counts positions.
func propose(ctx context.Context, t *testing.T, limit time.Duration) (text []byte, warned, err error) {
	t.Helper()
	text, err = Preset(ctx, Options{
		Game: rules(t, "wide"), For: limit, Workers: 1, Clock: wideClock,
		Warn: func(err error) { warned = err },
	})
	return text, warned, err
}

// With 20,000 legal actions, the measurements take at most a tenth of the available time plus the
// duration of the two smallest pilot runs. The preset depends only on processor time.
func TestManyActions(t *testing.T) {
	const limit, constant = 20 * time.Second, 1 * time.Second
	before := wideClock()
	text, warned, err := propose(t.Context(), t, limit)
	if err != nil {
		t.Fatal(err)
	}
	if took := wideClock() - before; took > limit/10+constant {
		t.Errorf("the measurements for %v took %v", limit, took)
	}
	if warned == nil || !strings.Contains(string(text), "# "+warned.Error()) {
		t.Errorf("the warning is %v, and the text\n%s", warned, text)
	}
	path := filepath.Join(t.TempDir(), "wide.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := configs.Load(path)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if n := c.Selfplay.Games * widePlies; n < minPositions || n > maxPositions {
		t.Errorf("%d positions in a generation", n)
	}
	if again, _, err := propose(t.Context(), t, limit); err != nil || string(again) != string(text) {
		t.Errorf("with equal processor times the second text is\n%s, %v; the first\n%s", again, err, text)
	}
}

// An interrupt stops the measurements after a few more positions.
func TestInterruptedMeasurements(t *testing.T) {
	for _, after := range []int64{100, 2_000, 3_500} {
		ctx, cancel := context.WithCancel(t.Context())
		stop := wideCalls.Load() + after
		wideHook = func(calls int64) {
			if calls == stop {
				cancel()
			}
		}
		_, _, err := propose(ctx, t, time.Hour)
		wideHook = nil
		if more := wideCalls.Load() - stop; !errors.Is(err, context.Canceled) || more > 100 {
			t.Errorf("an interrupt after %d positions gives %v after %d more", after, err, more)
		}
	}
}
