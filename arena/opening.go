package arena

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"dojo/engine"
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
	opt  *Options
	seen map[uint64]struct{} // hashes of the texts of all openings so far

	// draws[i] is the number of positions that were drawn from the stream of pair i
	// until one was a new opening. With it the opening can be drawn again.
	draws []int

	dealt     int  // number of pairs that have their opening
	exhausted bool // there are no more new openings
}

// next deals the opening of the next pair.
func (d *openings) next(ctx context.Context) (engine.Position, error) {
	pair := d.dealt
	if !d.exhausted {
		p, tries, err := d.drawNew(ctx, pair)
		if err != nil {
			return nil, err
		}
		if p != nil {
			d.draws = append(d.draws, tries)
			d.exhausted = len(d.draws) == maxOpenings
			d.dealt++
			return p, nil
		}
		d.exhausted = true
	}
	if len(d.draws) == 0 {
		what := "leaves the game open"
		if d.opt.Balanced != nil {
			what = "is balanced"
		}
		return nil, fmt.Errorf("no opening of %d actions in %d tries %s", d.opt.OpeningPlies, openingTries, what)
	}
	d.dealt++
	return d.redraw(pair % len(d.draws)), nil
}

// at returns the opening of a pair. It first deals those of all pairs before it.
func (d *openings) at(ctx context.Context, pair int) (p engine.Position, err error) {
	if pair < d.dealt {
		return d.redraw(pair % len(d.draws)), nil
	}
	for d.dealt <= pair {
		if p, err = d.next(ctx); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// different is the number of different openings among the first n pairs.
func (d *openings) different(n int) int { return min(n, len(d.draws)) }

// drawNew draws from the stream of a pair until a position is a valid opening: the game is not
// over, no win is at hand, it was not dealt before, and it is balanced if that is required. It
// also returns the number of draws. p is nil if there is none in openingTries draws.
func (d *openings) drawNew(ctx context.Context, pair int) (p engine.Position, tries int, err error) {
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

// redraw returns the opening that was dealt to a pair before.
func (d *openings) redraw(pair int) (p engine.Position) {
	rng := d.stream(pair)
	for range d.draws[pair] {
		p = d.draw(rng)
	}
	return p
}

// stream returns the random source from which a pair's opening is drawn.
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

// hash returns the FNV-1a hash of texts, with a zero byte after each.
func hash(texts ...string) uint64 {
	h := fnv.New64a()
	for _, t := range texts {
		_, _ = h.Write([]byte(t)) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}
