package arena

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"dojo.example/engine"
	"dojo.example/mcts"
	"dojo.example/think"
)

const (
	// openingTries is the number of draws after which no new opening is expected.
	openingTries = 1000

	// maxOpenings is the largest number of different openings of a match. After
	// these it plays the same ones again.
	maxOpenings = 1 << 19
)

// openings deals the openings of a match, in order. Each is different from all before it, by
// the text of its position. When openingTries draws have not found a new one, the game is
// taken to have no more, and the openings so far are dealt again in the same order.
type openings struct {
	opt       *Options
	dealt     []engine.Position
	seen      map[uint64]struct{} // hashes of the texts of dealt
	exhausted bool                // there are no more new openings
}

// at returns the opening of a pair. It first deals those of all pairs before it.
func (d *openings) at(ctx context.Context, pair int) (engine.Position, error) {
	for len(d.dealt) <= pair && !d.exhausted {
		p, err := d.draw(ctx)
		if err != nil {
			return nil, err
		}
		if p != nil {
			d.dealt = append(d.dealt, p)
		}
		d.exhausted = p == nil || len(d.dealt) == maxOpenings
	}
	if len(d.dealt) == 0 {
		what := "leaves the game open"
		if d.opt.Balanced != nil {
			what = "is balanced"
		}
		return nil, fmt.Errorf("no opening of %d actions in %d tries %s", d.opt.OpeningPlies, openingTries, what)
	}
	return d.dealt[pair%len(d.dealt)], nil
}

// different is the number of different openings among the first n pairs.
func (d *openings) different(n int) int { return min(n, len(d.dealt)) }

// draw plays random actions until a position is a valid opening for the next pair: the game is
// not over, no win is at hand, it was not dealt before, and it is balanced if that is required.
// It returns nil if there is none in openingTries draws.
func (d *openings) draw(ctx context.Context) (engine.Position, error) {
	rng := rand.New(rand.NewPCG(d.opt.Seed, uint64(len(d.dealt))))
	for range openingTries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := d.opt.Game.Start(rng)
		for i := 0; i < d.opt.OpeningPlies && p.Outcome() == engine.Ongoing; i++ {
			legal := p.Legal(nil)
			p = p.Play(legal[rng.IntN(len(legal))])
		}
		if p.Outcome() != engine.Ongoing || winsAtOnce(p) {
			continue
		}
		key := hash(p.String())
		if _, known := d.seen[key]; known {
			continue
		}
		if d.opt.Balanced != nil {
			if fits, err := d.opt.Balanced(ctx, p); err != nil {
				return nil, err
			} else if !fits {
				continue
			}
		}
		d.seen[key] = struct{}{}
		return p, nil
	}
	return nil, nil
}

// hash returns the FNV-1a hash of texts, with a zero byte after each.
func hash(texts ...string) uint64 {
	h := fnv.New64a()
	for _, t := range texts {
		_, _ = h.Write([]byte(t)) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// Balanced returns a function for [Options].Balanced. It searches each opening with the given
// number of visits, and calls it balanced if the value, from -1 to 1, is at most edge away
// from 0. In an opening that is won for one of the seats, each player wins the game in which it
// has that seat, so that the pair says little about the players.
func Balanced(game mcts.Game, opt think.Options, visits int, edge float32) func(context.Context, engine.Position) (bool, error) {
	judge := think.New(game, opt)
	return func(ctx context.Context, p engine.Position) (bool, error) {
		judge.NewGame(1)
		if _, err := judge.Think(ctx, p, think.Budget{Visits: visits}); err != nil {
			return false, err
		}
		v := judge.Search.Value()
		return max(v, -v) <= edge, nil
	}
}
