package arena

import "context"

const (
	// ChoosePlies, in place of a number of random actions, asks for as many as [Plies] returns.
	ChoosePlies = -1

	// UsualPlies is the number of random actions of openings, if the game has enough openings.
	UsualPlies = 2

	// mostPlies bounds the numbers that Plies tries: longer openings are ever more lopsided.
	mostPlies = 16

	// enoughOpenings is enough for any match. A match that is so long ends if it needs more.
	enoughOpenings = 1 << 14
)

// Plies returns the number of random actions that the openings of a match should have, whatever
// its OpeningPlies are: UsualPlies, or the next larger number with a different opening for each
// pair. If there is none, it is the number with the most openings. It also returns how many
// openings it found, of as many as the match has pairs. The result depends on the match's game,
// seed, number of games and judge of openings, and on nothing else.
func Plies(ctx context.Context, o Options) (plies, openings int, err error) {
	need := min(max(1, o.Games/2), enoughOpenings)
	for o.OpeningPlies = UsualPlies; o.OpeningPlies <= mostPlies && openings < need; o.OpeningPlies++ {
		n, err := Openings(ctx, o)
		if err != nil {
			return 0, 0, err
		}
		if n == 0 && openings > 0 {
			break // games are over before
		}
		if n > openings || plies == 0 {
			plies, openings = o.OpeningPlies, n
		}
	}
	return plies, openings, nil
}

// Openings returns how many different openings a match has, at most one for each of its pairs and
// not more than are enough for any match. With a judge of openings this is an estimate.
func Openings(ctx context.Context, o Options) (int, error) {
	judge, need := o.Balanced, min(o.Games/2, enoughOpenings)
	o.Balanced = nil
	p := NewPairs(o)
	if judge == nil {
		err := p.deal(ctx, need)
		return len(p.dealt), err
	}

	// To judge takes long. A few openings show how many of them are balanced.
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
