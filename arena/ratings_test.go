package arena

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
)

// meeting returns a Meeting in which player a scores exactly as expected of a player who is elo
// points stronger than b.
func meeting(a, b string, games, elo float64) Meeting {
	return Meeting{a, b, games, games * ExpectedScore(elo)}
}

// The ratings of a ladder are relative to player B of the first meeting, even for players who did
// not play against B. The strongest player comes first.
func TestLadder(t *testing.T) {
	// With this many games, the extra drawn game that Rate adds has no visible effect.
	const many = 1_000_000
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

// A meeting of a player with itself does not change a ladder. A ladder of only such meetings is
// empty.
func TestLadderOfOne(t *testing.T) {
	self, other := Meeting{"a", "a", 10, 5}, Meeting{"a", "b", 10, 7}
	if rungs := Ladder([]Meeting{self}); len(rungs) != 0 {
		t.Errorf("of a player that met itself alone the ladder is %+v", rungs)
	}
	if got, want := Ladder([]Meeting{self, other}), Ladder([]Meeting{other}); !slices.Equal(got, want) {
		t.Errorf("with a meeting of a player with itself the ladder is %+v, without %+v", got, want)
	}
}

// Variances add up along a chain of meetings. A second chain between the same two players makes
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
	// This meeting counts as 100.75 games: Rate adds half a drawn game for zero, and a quarter for
	// a, whose half is divided between a's two opponents.
	p := (100*ExpectedScore(100) + 0.375) / 100.75
	one := z / math.Sqrt(100.75*p*(1-p)) / perElo
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

// Rate recovers the strengths that the results were computed from, even of players who did not play
// against each other.
func TestRate(t *testing.T) {
	want := map[string]float64{"a": -150, "b": 0, "c": 30, "d": 120}
	// With a million games, the extra drawn game that Rate adds has no visible effect.
	against := func(a, b string) Meeting { return meeting(a, b, 1_000_000, want[a]-want[b]) }
	r := Rate([]Meeting{against("a", "b"), against("c", "b"), against("d", "c")})
	for i, name := range r.Players {
		if math.Abs(r.Elo[i]-want[name]) > 0.01 {
			t.Errorf("%s is rated %.3f, want %v", name, r.Elo[i], want[name])
		}
	}
	// Rate adds one drawn game, so ten wins out of ten games become 10½ points out of 11.
	if r := Rate([]Meeting{{"a", "b", 10, 10}}); math.Abs(r.Elo[0]-r.Elo[1]-400*math.Log10(21)) > 0.01 {
		t.Errorf("ten wins of ten are %.2f Elo, want %.2f", r.Elo[0]-r.Elo[1], 400*math.Log10(21))
	}
}

// Only the games determine a ladder. It is bit-identical however the games are divided into
// meetings, whichever player of a meeting is called A, and in whatever order the meetings are.
func TestLadderOfDividedGames(t *testing.T) {
	// 150 points in 160 games equal ten meetings with 15 points in 16 games each.
	if r := Ladder([]Meeting{{"a", "b", 160, 150}})[0]; math.Abs(r.Elo-400*math.Log10(150.5/10.5)) > 1e-6 {
		t.Errorf("150 points of 160 are %.2f Elo, want %.2f", r.Elo, 400*math.Log10(150.5/10.5))
	}
	whole := []Meeting{{"b", "zero", 40, 30}, {"a", "zero", 160, 150}, {"c", "a", 80, 40}, {"c", "b", 20, 13.5}}
	want := Ladder(whole)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		// Ratings are relative to player B of the first meeting. Therefore this meeting with zero
		// as player B always comes first.
		parts := []Meeting{{"b", "zero", 2, 2}}
		for i, m := range whole {
			if i == 0 {
				m.Games, m.Points = m.Games-2, m.Points-2
			}
			for m.Games > 0 {
				part := Meeting{m.A, m.B, 2, min(2, m.Points)}
				m.Games, m.Points = m.Games-part.Games, m.Points-part.Points
				if rng.IntN(2) == 0 {
					part = Meeting{part.B, part.A, part.Games, part.Games - part.Points}
				}
				parts = append(parts, part)
			}
		}
		rng.Shuffle(len(parts)-1, func(i, j int) { parts[i+1], parts[j+1] = parts[j+1], parts[i+1] })
		if got := Ladder(parts); !slices.Equal(got, want) {
			t.Fatalf("divided into %d meetings the ladder is\n%+v\nwant\n%+v", len(parts), got, want)
		}
	}
}

// In a run's ladder each model plays three earlier models and a fixed opponent, 16 games each. Such
// a ladder shows the true differences on average: the drawn games that Rate adds do not pull the
// ratings together.
func TestLadderOfShortMatches(t *testing.T) {
	const models, games, ladders, span = 16, 16, 200, 900.0
	rng := rand.New(rand.NewPCG(1, 2))
	mean := 0.0
	for range ladders {
		var meetings []Meeting
		for i := 1; i <= models; i++ {
			opponents := []int{i - 1, max(0, i-2), i / 2, models}
			slices.Sort(opponents)
			for _, j := range slices.Compact(opponents) {
				if i == j {
					continue
				}
				m := Meeting{fmt.Sprint(i), fmt.Sprint(j), games, 0}
				for range games {
					if rng.Float64() < ExpectedScore(span/models*float64(i-j)) {
						m.Points++
					}
				}
				meetings = append(meetings, m)
			}
		}
		r := Rate(meetings)
		mean += (r.Elo[slices.Index(r.Players, fmt.Sprint(models))] - r.Elo[slices.Index(r.Players, "0")]) / ladders
	}
	if t.Logf("the last model is rated %.0f above the first on average, and is %.0f stronger", mean, span); math.Abs(mean/span-1) > 0.04 {
		t.Errorf("the last model is rated %.0f above the first on average, and is %.0f stronger", mean, span)
	}
}

// Games that repeat an earlier game of their match do not count in a meeting.
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

// Players who are not connected by games are rated in separate groups.
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
