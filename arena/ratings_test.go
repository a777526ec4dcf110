package arena

import (
	"math"
	"slices"
	"testing"
)

// meeting is one in which a scores as is expected of a player who is elo stronger.
func meeting(a, b string, games, elo float64) Meeting {
	return Meeting{a, b, games, games * ExpectedScore(elo)}
}

// A ladder is above the opponent of the first meeting, also for players who did not
// meet it; the strongest comes first.
func TestLadder(t *testing.T) {
	const many = 1_000_000 // against which the game that is added counts nothing
	rungs := Ladder([]Meeting{meeting("a", "zero", many, -150), meeting("b", "a", many, 180), meeting("c", "b", many, 90)})
	for i, want := range []struct {
		player string
		elo    float64
		games  float64
	}{{"c", 120, many}, {"b", 30, 2 * many}, {"zero", 0, many}, {"a", -150, 2 * many}} {
		r := rungs[i]
		if r.Player != want.player || math.Abs(r.Elo-want.elo) > 0.01 || r.Games != want.games || r.Group != 0 {
			t.Errorf("rung %d is %+v, want %+v", i, r, want)
		}
	}
	if r := rungs[2]; r.EloLow != 0 || r.EloHigh != 0 {
		t.Errorf("the measure is %+v, want it without an interval", r)
	}
}

// A meeting of a player with itself changes no ladder, and makes none.
func TestLadderOfOne(t *testing.T) {
	self, other := Meeting{"a", "a", 10, 5}, Meeting{"a", "b", 10, 7}
	if rungs := Ladder([]Meeting{self}); len(rungs) != 0 {
		t.Errorf("of a player that met itself alone the ladder is %+v", rungs)
	}
	if got, want := Ladder([]Meeting{self, other}), Ladder([]Meeting{other}); !slices.Equal(got, want) {
		t.Errorf("with a meeting of a player with itself the ladder is %+v, without %+v", got, want)
	}
}

// Along a chain of meetings variances add up; a second way between two players makes
// their difference more certain.
func TestLadderIntervals(t *testing.T) {
	half := func(m ...Meeting) map[string]float64 {
		of := map[string]float64{}
		for _, r := range Ladder(m) {
			of[r.Player] = (r.EloHigh - r.EloLow) / 2
		}
		return of
	}
	chain := half(meeting("a", "zero", 100, 100), meeting("b", "a", 100, 100))
	p := (100*ExpectedScore(100) + 0.5) / 101
	one := z / math.Sqrt(101*p*(1-p)) / perElo
	if math.Abs(chain["a"]-one) > 0.01 || math.Abs(chain["b"]-one*math.Sqrt2) > 0.01 {
		t.Errorf("the intervals are ±%.2f and ±%.2f, want ±%.2f and ±%.2f", chain["a"], chain["b"], one, one*math.Sqrt2)
	}
	ring := half(meeting("a", "zero", 100, 100), meeting("b", "a", 100, 100), meeting("b", "zero", 100, 200))
	if ring["b"] > 0.85*chain["b"] {
		t.Errorf("with a second way the interval is ±%.2f, and ±%.2f without", ring["b"], chain["b"])
	}
	if won := half(Meeting{"a", "zero", 10, 10}); math.IsInf(won["a"], 0) || won["a"] < 200 {
		t.Errorf("after ten wins of ten the interval is ±%v", won["a"])
	}
}

// Players that no games connect are rated apart.
func TestLadderGroups(t *testing.T) {
	rungs := Ladder([]Meeting{meeting("a", "b", 10, 50), meeting("c", "d", 10, -50), meeting("e", "a", 10, 0)})
	groups := map[string]int{}
	for _, r := range rungs {
		groups[r.Player] = r.Group
	}
	if groups["a"] != 0 || groups["b"] != 0 || groups["e"] != 0 || groups["c"] != 1 || groups["d"] != 1 {
		t.Errorf("the groups are %v", groups)
	}
	if len(Ladder(nil)) != 0 {
		t.Error("without meetings there is a ladder")
	}
}
