// Package propose writes a preset for a game. Most settings follow from random games. Short
// training runs, the pilot runs, determine how many generations the available time allows. If the
// game has several lists of features, matches between the models of further short runs decide which
// list the preset uses.
package propose

import (
	"context"
	"math/rand/v2"
	"slices"

	"dojo.example/engine"
)

// Facts holds measurements of random games.
type Facts struct {
	Plies  float64 // mean number of actions in a game
	Legal  float64 // mean number of legal actions in a position
	Most   int     // largest number of legal actions in a position
	Draws  float64 // share of the games that are drawn
	Active float64 // mean number of active features in a position
	// Margin is a lead in points: nine of ten games are won by no more than this. It is 0 for a
	// game without points.
	Margin   float64
	Openings int // number of different positions after two plies in the random games
}

// Measure plays 200 random games, or fewer if time runs out, but at least one. After each game it
// calls the function late, which reports whether the time has run out.
func Measure(ctx context.Context, game engine.Game, seed uint64, late func() bool) (f Facts, err error) {
	const most = 200
	games := 0
	var margins []int // winning margin of each game, for a game with points
	positions, openings := 0.0, map[string]bool{}
	rng := rand.New(rand.NewPCG(seed, 0))
	in := engine.FeatureInput(game.Planes, 0)
	for games < most && (games == 0 || !late()) {
		start, err := game.Deal(rng)
		if err != nil {
			return f, err
		}
		p, err := game.PlayFrom(start, func(p engine.Position, ply int, legal []engine.Action) (engine.Action, error) {
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			in.Reset()
			in.Append(p)
			f.Active += float64(len(in.Features))
			f.Legal += float64(len(legal))
			f.Most = max(f.Most, len(legal))
			a := legal[rng.IntN(len(legal))]
			positions++
			if ply == 1 {
				openings[p.Play(a).String()] = true
			}
			return a, nil
		})
		if err != nil {
			return f, err
		}
		games++
		if p.Outcome() == engine.Draw {
			f.Draws++
		}
		if s, ok := p.State().(engine.Scorer); ok {
			first, second := s.Score()
			margins = append(margins, max(first-second, second-first))
		}
	}
	f.Plies, f.Draws, f.Openings = positions/float64(games), f.Draws/float64(games), len(openings)
	f.Legal, f.Active = f.Legal/positions, f.Active/positions
	if len(margins) > 0 {
		slices.Sort(margins)
		f.Margin = float64(min(255, margins[max(0, games*9/10-1)]))
	}
	return f, nil
}

// power returns a number of the sequence low, 2·low, 4·low, and so on, up to the first number that
// is at least high. It returns the number whose ratio to x is closest to 1.
func power(x float64, low, high int) int {
	n := low
	for n < high && x*x > 2*float64(n*n) {
		n *= 2
	}
	return n
}
