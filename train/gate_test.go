package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/arena"
)

// A gateModel simulates the games of a match. Its function pair simulates a pair of games and
// returns how many half points the candidate gets. score is the candidate's mean score in a game.
type gateModel struct {
	name string
	most float64 // largest distance of score from ½ that the model allows
	pair func(rng *rand.Rand, score float64) int
}

// toss returns 2 (half points) with the given probability, and otherwise 0.
func toss(rng *rand.Rand, chance float64) int {
	if rng.Float64() < chance {
		return 2
	}
	return 0
}

// seatGames returns a model in which the seat decides each game with probability chance: then First
// wins, whichever player that is. In the other games, the stronger player tends to win.
func seatGames(chance float64) gateModel {
	return gateModel{fmt.Sprintf("%2.0f %% of games decided by the seat", 100*chance), (1 - chance) / 2, func(rng *rand.Rand, score float64) int {
		win := score - chance/2 // probability that the candidate wins a game because it is stronger
		return toss(rng, chance+win) + toss(rng, win)
	}}
}

// drawnGames returns a model in which a game is drawn with probability chance.
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

// gateMatch simulates one match of the gate g. The model m generates the result of each pair of
// games, and score is the candidate's mean score in a game.
func gateMatch(g Gate, m gateModel, score float64, rng *rand.Rand) (accepted bool, games int) {
	var x arena.Result
	for x.Games() < g.Games {
		halves := m.pair(rng, score)
		x.Pairs[halves]++
		x.Wins, x.Draws, x.Losses = x.Wins+halves/2, x.Draws+halves%2, x.Losses+2-halves/2-halves%2
		if _, v := (arena.SPRT{Elo0: g.Elo0, Elo1: g.Elo1}).Verdict(x); v != arena.Continue {
			break
		}
	}
	return g.promotes(x), x.Games()
}

// gateOdds simulates many matches of the gate g. It returns the share of matches in which the gate
// accepts the candidate, and the mean number of games in a match.
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

// TestGateAccepts simulates gates with the smallest and the largest number of games of all presets.
// The models of the test differ in how many games are decided by strength and how many by the seat
// (First wins). The gate must behave as follows:
//
//	candidate    accepted
//	-30 Elo      seldom: at most bounds[0]
//	  0 Elo      about as often as not
//	+30 Elo      mostly: at least bounds[1]
//	+60 Elo      nearly always: at least bounds[2], and before all games are played
//
// To see the table of all results, run the test with -v.
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
