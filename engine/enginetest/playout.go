package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dojo.example/engine"
)

// playouts checks the results of [engine.Playouter], if the game's states implement it. They must
// follow from the seed, and their distribution must be the distribution of random games.
func playouts(game engine.Game) error {
	rng := rand.New(rand.NewPCG(1, 2))
	p, err := game.Deal(rng)
	if err != nil {
		return err
	}
	if _, ok := p.State().(engine.Playouter); !ok {
		return nil
	}
	// Compare at the start of the game and after one and two plies, so that both players are to move.
	for range 3 {
		if err := comparePlayouts(game, p, rng); err != nil {
			return err
		}
		if p.Outcome() == engine.Ongoing {
			legal := p.Legal(nil)
			p = p.Play(legal[rng.IntN(len(legal))])
		}
	}
	return randomly(game, 20, func(p engine.Position) error {
		seed := rng.Uint64()
		o := playout(p, seed)
		switch {
		case p.Outcome() != engine.Ongoing && o != p.Outcome():
			return fmt.Errorf("a playout returns %v, but the game is over: %v", o, p.Outcome())
		case o == engine.Ongoing || o != playout(p, seed):
			return fmt.Errorf("the playout with seed %d returns %v, and then %v", seed, o, playout(p, seed))
		}
		return nil
	})
}

func playout(p engine.Position, seed uint64) engine.Outcome {
	return p.State().(engine.Playouter).Playout(seed)
}

// comparePlayouts compares the shares of each outcome in playouts from p with the shares in random
// games from p. The seeds are fixed, so the comparison has the same result every time.
func comparePlayouts(game engine.Game, p engine.Position, rng *rand.Rand) error {
	const n = 10_000
	var got, want [engine.Draw + 1]float64
	for range n {
		got[playout(p, rng.Uint64())]++
		last, err := game.PlayFrom(p, func(_ engine.Position, _ int, legal []engine.Action) (engine.Action, error) {
			return legal[rng.IntN(len(legal))], nil
		})
		if err != nil {
			return err
		}
		want[last.Outcome()]++
	}
	for o := range got {
		// The difference of two counts of n has a variance of at most n/2. Five standard deviations
		// never happen by chance.
		if math.Abs(got[o]-want[o]) > 5*math.Sqrt(n/2) {
			return fmt.Errorf("%q: %.0f of %d playouts end with %v, but %.0f random games do", p, got[o], n, engine.Outcome(o), want[o])
		}
	}
	return nil
}
