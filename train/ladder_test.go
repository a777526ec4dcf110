package train_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"dojo.example/arena"
	"dojo.example/model"
	"dojo.example/train"
)

// If the results of the ladder matches are exactly the results that certain ratings predict,
// Strengths returns these ratings. The ratings are relative to the mark, or if there is none, to
// the model from which the run started.
func TestStrengths(t *testing.T) {
	elo := map[string]float64{model.NoModel: -600, "000000": -400, "000004": -150, "000008": -50, "box": 0}
	record := func(generation int, best string, opponents ...string) train.Metrics {
		m := train.Metrics{Generation: generation, Player: model.NoModel, Best: best}
		for _, b := range opponents {
			// Number of games; with this many games, the draws that arena.Ladder adds do not
			// matter.
			const n = 1e5
			m.Ladder.Meetings = append(m.Ladder.Meetings, arena.Meeting{A: best, B: b, Games: n, Points: n * arena.ExpectedScore(elo[best]-elo[b])})
		}
		return m
	}
	for _, mark := range []bool{true, false} {
		with := func(opponents ...string) []string {
			if mark {
				opponents = append(opponents, "box")
			}
			return opponents
		}
		want := "box"
		if !mark {
			want = model.NoModel
		}
		zero, all := train.Strengths([]train.Metrics{
			record(0, "000000", with(model.NoModel)...),
			record(4, "000004", with("000000", model.NoModel)...),
			record(5, "000004"),
			record(8, "000008", with("000004", "000000")...),
		})
		if zero != want || len(all) != 3 {
			t.Fatalf("the ladder of %d rungs has its zero at %q", len(all), zero)
		}
		for i, best := range []string{"000000", "000004", "000008"} {
			if s := all[i]; s.Generation != 4*i || math.Abs(s.Elo-elo[best]+elo[want]) > 3 || !(s.Low < s.Elo && s.Elo < s.High) {
				t.Errorf("%s is rated %+v above %s", best, s, want)
			}
		}
	}
	if zero, all := train.Strengths([]train.Metrics{record(0, "000000")}); zero != "" || all != nil {
		t.Errorf("without a match there are ratings: %v above %q", all, zero)
	}
}

// ParseRecord refuses a record whose ladder has a match with an impossible result.
func TestImpossibleMeetings(t *testing.T) {
	for games, points := range map[float64]float64{16: -5, 8: 9, -16: -8, 1e300: 5} {
		m := train.Metrics{Player: model.NoModel, Best: "000000"}
		m.Ladder.Meetings = []arena.Meeting{{A: m.Best, B: m.Player, Games: games, Points: points}}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := train.ParseRecord("run", 0, text); err == nil || !strings.Contains(err.Error(), "impossible") {
			t.Errorf("%g points in %g games are read with the error %v", points, games, err)
		}
	}
}

// In its ladder matches, the best model plays against the mark and against models that have been
// rated before. It plays against nobody twice. The record of its generation holds these matches.
func TestLadder(t *testing.T) {
	opt, err := tiny(t.TempDir(), 1, "gate.ladder=2")
	if err != nil {
		t.Fatal(err)
	}
	random := arena.Random()
	opt.Mark = &random
	r, err := train.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Loop(t.Context()), r.Close()); err != nil {
		t.Fatal(err)
	}
	records, err := train.ReadMetrics(opt.Folder)
	if err != nil {
		t.Fatal(err)
	}
	rated := map[string]bool{model.NoModel: true}
	for _, m := range records {
		text, _ := json.Marshal(m.Ladder)
		if got := len(m.Ladder.Meetings) > 0; got == rated[m.Best] {
			t.Errorf("after generation %d, with %s the best, the ladder has %s", m.Generation, m.Best, text)
		}
		rated[m.Best] = true
		met := map[string]bool{m.Best: true}
		for _, b := range m.Ladder.Meetings {
			if b.A != m.Best || met[b.B] || !rated[b.B] && b.B != "random" || b.Games < 1 || b.Games > 2 {
				t.Errorf("%+v", b)
			}
			met[b.B] = true
		}
		if len(met) > 1 && !met["random"] {
			t.Errorf("%s has not met the mark: %s", m.Best, text)
		}
	}
}
