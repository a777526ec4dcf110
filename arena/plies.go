package arena

import "context"

const (
	// ChoosePlies as a number of random actions means that [Plies] chooses the number.
	ChoosePlies = -1

	// UsualPlies is the number of random actions in an opening, if the game then has enough
	// openings.
	UsualPlies = 2

	// mostPlies is the largest number that Plies tries. The longer an opening, the more lopsided it
	// is.
	mostPlies = 16

	// enoughOpenings is the largest number of openings that Plies looks for. It is enough for
	// almost any match; a longer match of deterministic players ends when the openings run out.
	enoughOpenings = 1 << 14
)

// Plies returns the number of random actions that the openings of a match should have; it ignores
// o.OpeningPlies. The number is UsualPlies, or the next larger number that gives each pair its own
// opening. If no number does, Plies returns the one with the most openings. openings is the number
// of openings found, at most the number of pairs. Both results depend only on the match's game,
// seed, number of games and Balanced.
func Plies(ctx context.Context, o Options) (plies, openings int, err error) {
	need := min(max(1, o.Games/2), enoughOpenings)
	for o.OpeningPlies = UsualPlies; o.OpeningPlies <= mostPlies && openings < need; o.OpeningPlies++ {
		n, err := Openings(ctx, o)
		if err != nil {
			return 0, 0, err
		}
		if n == 0 && openings > 0 {
			break // games end before they reach this many plies
		}
		if n > openings || plies == 0 {
			plies, openings = o.OpeningPlies, n
		}
	}
	return plies, openings, nil
}

// Openings returns how many different openings a match has. It counts at most one per pair, and at
// most enoughOpenings. If o.Balanced is set, the result is an estimate.
func Openings(ctx context.Context, o Options) (int, error) {
	judge, need := o.Balanced, min(o.Games/2, enoughOpenings)
	o.Balanced = nil
	p := NewPairs(o)
	if judge == nil {
		err := p.deal(ctx, need)
		return len(p.dealt), err
	}

	// Judging an opening takes long. A small sample shows what share of them is balanced.
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
