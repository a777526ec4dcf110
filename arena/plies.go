package arena

import "context"

const (
	// ChoosePlies, given as a number of random actions, means that [Plies] chooses the number.
	ChoosePlies = -1

	// UsualPlies is the number of random actions in an opening if that gives the match enough
	// openings.
	UsualPlies = 2

	// mostPlies is the largest number of random actions that Plies tries. Longer openings are more
	// lopsided.
	mostPlies = 16

	// enoughOpenings is the largest number of openings that Plies looks for. It is enough for
	// almost any match. A longer match of deterministic players ends when it has used all of its
	// openings.
	enoughOpenings = 1 << 14
)

// Plies returns the number of random actions that the openings of a match should have; it ignores
// o.OpeningPlies. It tries UsualPlies first, then larger numbers, until each pair can have an
// opening of its own. If no number gives enough openings, Plies returns the number that gives the
// most. openings is the number of openings found, at most the number of pairs. Both results depend
// only on the match's game, seed, number of games and Balanced.
func Plies(ctx context.Context, o Options) (plies, openings int, err error) {
	need := min(max(1, o.Games/2), enoughOpenings)
	for o.OpeningPlies = UsualPlies; o.OpeningPlies <= mostPlies && openings < need; o.OpeningPlies++ {
		n, err := Openings(ctx, o)
		if err != nil {
			return 0, 0, err
		}
		if n == 0 && openings > 0 {
			break // every game ends before this number of plies
		}
		if n > openings || plies == 0 {
			plies, openings = o.OpeningPlies, n
		}
	}
	return plies, openings, nil
}

// Openings returns how many different openings a match can use. It counts at most one per pair, and
// at most enoughOpenings. If o.Balanced is set, the result is an estimate.
func Openings(ctx context.Context, o Options) (int, error) {
	judge, need := o.Balanced, min(o.Games/2, enoughOpenings)
	o.Balanced = nil
	p := NewPairs(o)
	if judge == nil {
		err := p.deal(ctx, need)
		return len(p.dealt), err
	}

	// Deciding whether an opening is balanced takes a long time, so the share of balanced openings
	// is estimated from a small sample.
	const judged = 32
	if err := p.deal(ctx, judged); err != nil || len(p.dealt) == 0 {
		return 0, err
	}
	n, fit := len(p.dealt), 0
	for _, at := range p.dealt {
		fits, err := judge.Fits(ctx, at)
		if err != nil {
			return 0, err
		}
		if fits {
			fit++
		}
	}
	if fit == 0 {
		return 0, nil
	}
	err := p.deal(ctx, min((need*n+fit-1)/fit, enoughOpenings))
	return min(len(p.dealt)*fit/n, need), err
}
