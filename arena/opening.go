package arena

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"dojo/engine"
)

const (
	// openingTries is how often an opening is drawn before it is given up.
	openingTries = 1000

	// maxOpenings is the most different openings that a match remembers, and
	// so the most that it plays before it plays them again.
	maxOpenings = 1 << 19
)

// openings deals the openings of a match, in order: each is different from
// all before, by the position's text. When openingTries draws bring no new
// one, the game is taken to have no more, and those there are come again in
// the same order.
type openings struct {
	opt  *Options
	seen map[uint64]struct{} // their texts' hashes

	// tries[i] is how many positions were drawn from the stream of pair i
	// until one was a new opening. It is enough to draw the opening again.
	tries []int

	dealt int
	ended bool // there are no more new ones
}

// deal is the next opening.
func (d *openings) deal(ctx context.Context) (engine.Position, error) {
	pair := d.dealt
	if !d.ended {
		p, tries, err := d.fresh(ctx, pair)
		if err != nil {
			return nil, err
		}
		if p != nil {
			d.tries = append(d.tries, tries)
			d.ended = len(d.tries) == maxOpenings
			d.dealt++
			return p, nil
		}
		d.ended = true
	}
	if len(d.tries) == 0 {
		what := "leaves the game open"
		if d.opt.Balanced != nil {
			what = "is balanced"
		}
		return nil, fmt.Errorf("no opening of %d actions in %d tries %s", d.opt.OpeningPlies, openingTries, what)
	}
	d.dealt++
	return d.again(pair % len(d.tries)), nil
}

// at is the opening of a pair, after those of all pairs before it have been dealt.
func (d *openings) at(ctx context.Context, pair int) (p engine.Position, err error) {
	if pair < d.dealt {
		return d.again(pair % len(d.tries)), nil
	}
	for d.dealt <= pair {
		if p, err = d.deal(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// different is the number of different openings among the first n pairs.
func (d *openings) different(n int) int { return min(n, len(d.tries)) }

// fresh draws the first opening from the stream of a pair that is not decided, was not
// dealt before and is balanced, if that is asked for. It is nil if there is none in openingTries draws.
func (d *openings) fresh(ctx context.Context, pair int) (p engine.Position, tries int, err error) {
	rng := d.stream(pair)
	for tries := 1; tries <= openingTries; tries++ {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		p := d.draw(rng)
		if p.Outcome() != engine.Ongoing || winsAtOnce(p) {
			continue
		}
		key := hash(p.String())
		if _, known := d.seen[key]; known {
			continue
		}
		if d.opt.Balanced != nil {
			if fits, err := d.opt.Balanced(ctx, p); err != nil {
				return nil, 0, err
			} else if !fits {
				continue
			}
		}
		d.seen[key] = struct{}{}
		return p, tries, nil
	}
	return nil, 0, nil
}

// again draws the opening of a pair that was dealt before.
func (d *openings) again(pair int) (p engine.Position) {
	rng := d.stream(pair)
	for range d.tries[pair] {
		p = d.draw(rng)
	}
	return p
}

// stream is the randomness from which a pair's opening is drawn.
func (d *openings) stream(pair int) *rand.Rand {
	return rand.New(rand.NewPCG(d.opt.Seed, uint64(pair)))
}

// draw plays OpeningPlies random actions, fewer if they end the game.
func (d *openings) draw(rng *rand.Rand) engine.Position {
	p := d.opt.Game.Start(rng)
	for i := 0; i < d.opt.OpeningPlies && p.Outcome() == engine.Ongoing; i++ {
		legal := p.Legal(nil)
		p = p.Play(legal[rng.IntN(len(legal))])
	}
	return p
}

// hash is the FNV-1a hash of texts, the end of each included.
func hash(texts ...string) uint64 {
	h := fnv.New64a()
	for _, t := range texts {
		_, _ = h.Write([]byte(t)) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}
