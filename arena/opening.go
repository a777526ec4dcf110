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
	// openingTries is the number of failed draws after which the game is assumed to have no new
	// opening.
	openingTries = 1000

	// maxOpenings is the largest number of different openings in a match. After that many the game
	// is assumed to have no more.
	maxOpenings = 1 << 19
)

// errNoOpening says that the game has no new opening for a pair.
var errNoOpening = errors.New("the game has no new opening")

// Opening returns the position from which both games of a pair begin. It first deals the openings
// of all earlier pairs, because each opening must differ from them in the text of its position. If
// openingTries draws yield no new opening, the game is assumed to have no more. Then the openings
// so far are repeated in the same order if [Options].Again is true; otherwise Opening returns
// errNoOpening.
func (p *Pairs) Opening(ctx context.Context, pair int) (engine.Position, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.deal(ctx, pair+1); err != nil {
		return nil, err
	}
	if len(p.dealt) == 0 {
		what := "leaves the game undecided"
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

// deal deals openings until there are n of them or the game has no more. The caller holds mu.
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

// draw plays random actions until the position is a valid opening for the next pair: the game is
// not over, the player to move has no winning action, the opening is new, and it is balanced if
// that is required. draw returns nil if openingTries draws yield no such position. The caller holds
// mu.
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

// A Balance decides which openings are balanced enough to be played.
type Balance struct {
	Edge float32 // largest allowed distance of an opening's value from 0; identifies the Balance in a log

	// Fits reports whether an opening may be played. The result must depend only on the position.
	// Only one goroutine calls Fits at a time.
	Fits func(context.Context, engine.Position) (bool, error)
}

// Balanced returns a value for [Options].Balanced. It searches each opening with the given number
// of visits and accepts it if the value, from -1 to 1, is at most edge away from 0. If one seat has
// a won opening, each player wins the game in which it has that seat, so the pair says little about
// the players.
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
