package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"dojo.example/engine"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

const (
	// openingTries is the number of draws after which no new opening is expected.
	openingTries = 1000

	// maxOpenings is the largest number of different openings of a match. After
	// these the game is taken to have no more.
	maxOpenings = 1 << 19
)

// errNoOpening says that the game has no new opening for a pair.
var errNoOpening = errors.New("the game has no new opening")

// Opening returns the position from which both games of a pair begin. It first deals the
// openings of all pairs before it. Each is different from all before it, by the text of its
// position. When openingTries draws have not found a new one, the game is taken to have no more.
// Then the openings so far are dealt again in the same order, or, if the match ends there, the
// error is errNoOpening; see [Options].Again.
func (p *Pairs) Opening(ctx context.Context, pair int) (engine.Position, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.deal(ctx, pair+1); err != nil {
		return nil, err
	}
	if len(p.dealt) == 0 {
		what := "leaves the game open"
		if p.Balanced != nil {
			what = "is balanced"
		}
		return nil, fmt.Errorf("no opening of %d actions in %d tries %s", p.OpeningPlies, openingTries, what)
	}
	if pair >= len(p.dealt) && !p.Again {
		return nil, errNoOpening
	}
	return p.dealt[pair%len(p.dealt)], nil
}

// deal deals openings until there are n or the game has no more. The caller holds mu.
func (p *Pairs) deal(ctx context.Context, n int) error {
	for len(p.dealt) < n && !p.exhausted {
		at, err := p.draw(ctx)
		if err != nil {
			return err
		}
		if at != nil {
			p.dealt = append(p.dealt, at)
		}
		p.exhausted = at == nil || len(p.dealt) == maxOpenings
	}
	return nil
}

// draw plays random actions until a position is a valid opening for the next pair: the game is
// not over, no win is at hand, it was not dealt before, and it is balanced if that is required.
// It returns nil if there is none in openingTries draws. The caller holds mu.
func (p *Pairs) draw(ctx context.Context) (engine.Position, error) {
	rng := rand.New(rand.NewPCG(p.Seed, uint64(len(p.dealt))))
	for range openingTries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at, err := p.Game.Deal(rng)
		if err != nil {
			return nil, err
		}
		for i := 0; i < p.OpeningPlies && at.Outcome() == engine.Ongoing; i++ {
			legal, err := p.Game.Turn(at, i, nil)
			if err != nil {
				return nil, err
			}
			at = at.Play(legal[rng.IntN(len(legal))])
		}
		if at.Outcome() != engine.Ongoing || winsAtOnce(at) {
			continue
		}
		key := hash(at.String())
		if _, known := p.seen[key]; known {
			continue
		}
		if p.Balanced != nil {
			if fits, err := p.Balanced.Fits(ctx, at); err != nil {
				return nil, err
			} else if !fits {
				continue
			}
		}
		p.seen[key] = struct{}{}
		return at, nil
	}
	return nil, nil
}

// A Balance is a judge of openings.
type Balance struct {
	Edge float32 // how far from 0 the value of an opening may be; identifies the judge in a log

	// Fits reports whether an opening may be played. The result must depend on the position
	// alone. It is called by one goroutine at a time.
	Fits func(context.Context, engine.Position) (bool, error)
}

// Balanced returns a judge for [Options].Balanced. It searches each opening with the given
// number of visits, and calls it balanced if the value, from -1 to 1, is at most edge away
// from 0. In an opening that is won for one of the seats, each player wins the game in which it
// has that seat, so that the pair says little about the players.
func Balanced(game mcts.Game, opt think.Options, visits int, edge float32) *Balance {
	judge := think.New(game, opt)
	return &Balance{edge, func(ctx context.Context, p engine.Position) (bool, error) {
		judge.NewGame(1)
		if _, err := judge.Think(ctx, p, think.Budget{Visits: visits}); err != nil {
			return false, err
		}
		v := judge.Search.Root().Value()
		return max(v, -v) <= edge, nil
	}}
}
