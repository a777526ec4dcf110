// Package propose writes a preset for a game: settings that follow from what random games of it
// are like, and as many generations as a short pilot run leaves time for.
package propose

import (
	"context"
	"math/rand/v2"
	"slices"

	"dojo.example/engine"
)

// Facts are measurements of random games.
type Facts struct {
	Plies    float64 // mean actions of a game
	Legal    float64 // mean legal actions of a position
	Most     int     // legal actions of a position at most
	Draws    float64 // share of the games
	Active   float64 // mean active features of a position
	Margin   float64 // nine of ten games end within this many points; 0 in a game without points
	Openings int     // different positions after two plies, among the games
}

// Measure plays 200 random games, or fewer if there is no time left, which late tells after
// each game.
func Measure(ctx context.Context, game engine.Game, seed uint64, late func() bool) (f Facts, err error) {
	const most = 200
	games := 0
	var margins []int // of the games, in a game with points
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

// power returns the power of two that is nearest to x, by factors, between low and high.
func power(x float64, low, high int) int {
	n := low
	for n < high && x*x > 2*float64(n*n) {
		n *= 2
	}
	return n
}
