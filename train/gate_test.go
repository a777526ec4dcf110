package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo/arena"
)

// A gateModel draws what the candidate scores in a pair of games, in half
// points, when a game's mean score is score.
type gateModel struct {
	name string
	most float64 // the furthest that score can be from ½
	pair func(rng *rand.Rand, score float64) int
}

// toss is two half points with a chance, else none.
func toss(rng *rand.Rand, chance float64) int {
	if rng.Float64() < chance {
		return 2
	}
	return 0
}

// seatGames are won by First with a chance; the others depend on strength.
func seatGames(chance float64) gateModel {
	return gateModel{fmt.Sprintf("%2.0f %% of games decided by the seat", 100*chance), (1 - chance) / 2, func(rng *rand.Rand, score float64) int {
		win := score - chance/2 // of the games that are not
		return toss(rng, chance+win) + toss(rng, win)
	}}
}

// drawnGames end in a draw with a chance.
func drawnGames(chance float64) gateModel {
	return gateModel{fmt.Sprintf("%2.0f %% of games drawn", 100*chance), (1 - chance) / 2, func(rng *rand.Rand, score float64) int {
		halves := 0
		for range 2 {
			if rng.Float64() < chance {
				halves++
			} else {
				halves += toss(rng, 0.5+(score-0.5)/(1-chance))
			}
		}
		return halves
	}}
}

// gateMatch plays a gate's match between players of a model.
func gateMatch(g Gate, m gateModel, score float64, rng *rand.Rand) (accepted bool, games int) {
	var x arena.Result
	for x.Games() < g.Games {
		halves := m.pair(rng, score)
		x.Pairs[halves]++
		x.Wins, x.Draws, x.Losses = x.Wins+halves/2, x.Draws+halves%2, x.Losses+2-halves/2-halves%2
		if g.verdict(x) != arena.Continue {
			break
		}
	}
	return g.promotes(x), x.Games()
}

// gateOdds is how often a gate accepts a candidate, and the mean number of
// games that it takes, in simulated matches.
func gateOdds(g Gate, m gateModel, score float64) (accepts, games float64) {
	const matches = 4000
	rng := rand.New(rand.NewPCG(1, 1))
	for range matches {
		accepted, played := gateMatch(g, m, score, rng)
		if accepted {
			accepts += 1.0 / matches
		}
		games += float64(played) / matches
	}
	return accepts, games
}

// The gate of the presets, at the least and the most games that they play,
// whether strength or the seat decides most games. What it must do:
//
//	candidate    accepted
//	-30 Elo      seldom: at most bounds[0]
//	  0 Elo      about as often as not
//	+30 Elo      mostly: at least bounds[1]
//	+60 Elo      nearly always: at least bounds[2], and before all games are played
//
// Run it with -v for the table.
func TestGateAccepts(t *testing.T) {
	if testing.Short() {
		t.Skip("it counts in one goroutine, for a while")
	}
	models := []gateModel{seatGames(0), drawnGames(0.3), seatGames(0.5), seatGames(0.8), seatGames(0.9)}
	for games, bounds := range map[int][3]float64{40: {0.26, 0.62, 0.80}, 80: {0.21, 0.72, 0.90}, 200: {0.13, 0.84, 0.97}} {
		g := DefaultGate()
		g.Games = games
		for _, m := range models {
			row := fmt.Sprintf("%3d games, %-33s", games, m.name)
			before := 0.0
			for _, elo := range []float64{-60, -30, 0, 30, 60} {
				score := 1 / (1 + math.Pow(10, -elo/400))
				if math.Abs(score-0.5) > m.most {
					row += strings.Repeat(" ", 26)
					continue
				}
				accepts, played := gateOdds(g, m, score)
				row += fmt.Sprintf(" %+4.0f: %5.1f %% (%3.0f games)", elo, 100*accepts, played)
				var low, high float64
				switch elo {
				case -60, -30:
					low, high = 0, bounds[0]
				case 0:
					low, high = 0.3, 0.55
				case 30:
					low, high = bounds[1], 1
				case 60:
					low, high = bounds[2], 1
					if played > 0.95*float64(games) {
						t.Errorf("%d games, %s: a clear match takes %.0f games", games, m.name, played)
					}
				}
				if accepts < low || accepts > high || accepts < before {
					t.Errorf("%d games, %s: a candidate of %+.0f Elo is accepted in %.1f %%, want %.0f to %.0f %%, and more than a weaker one (%.1f %%)",
						games, m.name, elo, 100*accepts, 100*low, 100*high, 100*before)
				}
				before = accepts
			}
			t.Log(row)
		}
	}
}

// marginGames is a pair of games of which the seat is worth most: it draws the
// candidate's margins, when it is ahead by some points a game.
func marginGames(rng *rand.Rand, ahead float64) (first, second int) {
	const seat, noise = 12, 8
	worth := seat * (0.5 + rng.Float64())
	return int(math.Round(worth + ahead + float64(noise*rng.NormFloat64()))),
		int(math.Round(-worth + ahead + float64(noise*rng.NormFloat64())))
}

// marginOdds is how often a gate accepts a candidate that is ahead by some points, in
// simulated matches.
func marginOdds(judge Judge, ahead float64) (accepts float64) {
	const matches = 2000
	g := Gate{Judge: judge, Games: 40, Elo0: -30, Elo1: 30}
	rng := rand.New(rand.NewPCG(2, 2))
	for range matches {
		var x arena.Result
		for x.Games() < g.Games && g.verdict(x) == arena.Continue {
			first, second := marginGames(rng, ahead)
			halves, root := 0, 0.0
			for _, m := range []int{first, second} {
				x.Points.Games++
				switch {
				case m > 0:
					x.Wins, halves = x.Wins+1, halves+2
					x.Points.Leads, root = x.Points.Leads+m, root+math.Sqrt(float64(m))/2
				case m < 0:
					x.Losses++
					x.Points.Leads, root = x.Points.Leads-m, root-math.Sqrt(float64(-m))/2
				default:
					x.Draws, halves = x.Draws+1, halves+1
				}
			}
			x.Pairs[halves]++
			x.Points.Pairs++
			x.Points.Roots.Sum += root
			x.Points.Roots.Squares += float64(root * root)
		}
		if g.promotes(x) {
			accepts += 1.0 / matches
		}
	}
	return accepts
}

// Where the seat decides who wins, a gate that counts points tells a stronger candidate
// from a weaker one more often than one that counts wins; of equals it takes every other
// one. Run it with -v for the table.
func TestGateByMargin(t *testing.T) {
	for _, ahead := range []float64{-3, -1.5, 0, 1.5, 3} {
		wins, margin := marginOdds(ByWins, ahead), marginOdds(ByMargin, ahead)
		t.Logf("%+4.1f points a game: %5.1f %% accepted by wins, %5.1f %% by margin", ahead, 100*wins, 100*margin)
		switch {
		case ahead > 0 && margin < wins+0.03, ahead < 0 && margin > wins-0.03:
			t.Errorf("%+.1f points a game: %.1f %% are accepted by margin, %.1f %% by wins", ahead, 100*margin, 100*wins)
		case ahead == 0 && math.Abs(margin-0.5) > 0.05:
			t.Errorf("of equals %.1f %% are accepted", 100*margin)
		}
	}
}

// A gate without a judge takes every candidate, and plays all games.
func TestGateJudgesNothing(t *testing.T) {
	g := Gate{Judge: ByNobody, Games: 40, Elo0: -30, Elo1: 30}
	lost := arena.Result{Losses: 40, Pairs: [5]float64{20}}
	if v := g.verdict(lost); v != arena.Continue || !g.promotes(lost) {
		t.Errorf("after 40 lost games: verdict %v, promoted %v", v, g.promotes(lost))
	}
}
