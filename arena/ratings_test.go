package arena

import (
	"math"
	"slices"
	"testing"

	"dojo.example/engine"
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

// Ratings recover the strengths from which results were made, also of players who did not
// meet.
func TestRate(t *testing.T) {
	want := map[string]float64{"a": -150, "b": 0, "c": 30, "d": 120}
	against := func(a, b string) Meeting { return meeting(a, b, 1_000_000, want[a]-want[b]) } // the game that is added counts nothing
	r := Rate([]Meeting{against("a", "b"), against("c", "b"), against("d", "c")})
	for i, name := range r.Players {
		if math.Abs(r.Elo[i]-want[name]) > 0.01 {
			t.Errorf("%s is rated %.3f, want %v", name, r.Elo[i], want[name])
		}
	}
	// Ten wins of ten are 10½ points of 11.
	if r := Rate([]Meeting{{"a", "b", 10, 10}}); math.Abs(r.Elo[0]-r.Elo[1]-400*math.Log10(21)) > 0.01 {
		t.Errorf("ten wins of ten are %.2f Elo, want %.2f", r.Elo[0]-r.Elo[1], 400*math.Log10(21))
	}
}

// Games that repeat an earlier one of their match say nothing new.
func TestMeetingWithoutRepeats(t *testing.T) {
	won := []Record{{AFirst: true, Outcome: engine.FirstWins}, {Outcome: engine.Draw}}
	again := []Record{{AFirst: true, Outcome: engine.FirstWins, Repeat: true}, {Outcome: engine.Draw, Repeat: true}}
	var once, many Result
	once.add(won)
	for _, pair := range [][]Record{won, again, again} {
		many.add(pair)
	}
	if a, b := once.Meeting("a", "b"), many.Meeting("a", "b"); a != b || a.Games != 2 || a.Points != 1.5 {
		t.Errorf("a pair is %+v, and thrice the same %+v", a, b)
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
