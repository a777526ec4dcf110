package arena

import (
	"fmt"
	"math/rand/v2"

	"dojo/engine"
)

// openingTries is how often an opening is drawn before it is given up.
const openingTries = 1000

// open draws the opening of a pair.
func (o *Options) open(pair int) (engine.Position, error) {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(pair)))
	for range openingTries {
		if p := o.draw(rng); p.Outcome() == engine.Ongoing && !winsAtOnce(p) {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no opening of %d actions in %d tries leaves the game open", o.OpeningPlies, openingTries)
}

// draw plays OpeningPlies random actions, fewer if they end the game.
func (o *Options) draw(rng *rand.Rand) engine.Position {
	p := o.Game.Start(rng)
	for i := 0; i < o.OpeningPlies && p.Outcome() == engine.Ongoing; i++ {
		legal := p.Legal(nil)
		p = p.Play(legal[rng.IntN(len(legal))])
	}
	return p
}
