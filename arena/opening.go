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
	// If openingTries random attempts find no new opening, the match assumes that the game has no
	// more openings.
	openingTries = 1000

	// maxOpenings is the largest number of different openings in a match. The match assumes that
	// the game has no more openings than this.
	maxOpenings = 1 << 19
)

// errNoOpening means that no new opening is left for a pair.
var errNoOpening = errors.New("the game has no new opening")

// Opening returns the position from which both games of a pair begin. It first chooses the openings
// of all earlier pairs, because every pair needs an opening that no earlier pair has (two openings
// are the same if their positions have the same text). If openingTries attempts find no new
// opening, Opening assumes that the game has no more. Then it returns the earlier openings again,
// in the same order, if [Options].Again is true; otherwise it returns errNoOpening.
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

// deal chooses openings until there are n of them or the game has no more. The caller holds mu.
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

// draw plays random actions from the start of the game until it finds an opening for the next pair.
// In an opening the game is not over, the player to move has no winning action, the position is
// new, and it is balanced if the options demand it. draw returns nil if openingTries attempts find
// no opening. The caller holds mu.
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

// A Balance decides which openings are balanced enough to be used in a match.
type Balance struct {
	// Edge is the largest allowed absolute value of an opening. It also identifies the Balance in a
	// match log.
	Edge float32

	// Fits reports whether an opening may be played. The result must depend only on the position.
	// Only one goroutine calls Fits at a time.
	Fits func(context.Context, engine.Position) (bool, error)
}

// Balanced returns a value for [Options].Balanced. It searches each opening with the given number
// of visits. It accepts the opening if the value that the search finds (from -1 to 1) is between
// -edge and edge. Without this check many openings may be won for one seat. Each player then wins
// the game in which it has that seat, so the pair says little about the players.
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
