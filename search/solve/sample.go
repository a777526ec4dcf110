package solve

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"dojo.example/engine"
)

// Sampling configures Sample: how many positions to collect, and which.
type Sampling struct {
	Positions int    // number of lines wanted
	Seed      uint64 // the same Seed, Positions and MinPlies always give the same lines
	MinPlies  int    // exclude positions that end in fewer plies under best play
	Workers   int
	Each      func(Line) error // called with each line, in order
}

// A Candidate generates a random position and solves it. It returns false if it finds no suitable
// position or cannot prove the values of all actions. It returns an error if the game breaks its
// own rules.
type Candidate func(rng *rand.Rand) (Line, bool, error)

// patience is the number of candidates in a row that may fail before Sample gives up.
const patience = 20_000

// Sample calls candidates until it has o.Positions different lines. It skips lines in which every
// action has the same value. Each worker gets its own Candidate from newCandidate. A Candidate must
// end its search when stop returns true.
func Sample(ctx context.Context, o Sampling, newCandidate func(stop func() bool) Candidate) error {
	workers := make([]Candidate, max(1, o.Workers))
	for k := range workers {
		workers[k] = newCandidate(func() bool { return ctx.Err() != nil })
	}
	type result struct {
		Line
		ok  bool
		err error
	}
	results := make([]result, len(workers))
	seen := map[string]bool{}
	failed := 0 // number of candidates that failed in a row
	for from := 0; len(seen) < o.Positions; from += len(workers) {
		var wg sync.WaitGroup
		for k, candidate := range workers {
			wg.Go(func() {
				r := &results[k]
				r.Line, r.ok, r.err = candidate(rand.New(rand.NewPCG(o.Seed, uint64(from+k))))
			})
		}
		wg.Wait()
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, r := range results {
			if r.err != nil {
				return fmt.Errorf("solve: %w", r.err)
			}
			if !r.ok || !r.matters || seen[r.Position] || r.best.Outcome != engine.Draw && r.best.Plies < o.MinPlies {
				if failed++; failed > patience {
					return fmt.Errorf("solve: found only %d positions, and none among the last %d candidates", len(seen), failed)
				}
				continue
			}
			seen[r.Position], failed = true, 0
			if err := o.Each(r.Line); err != nil {
				return err
			}
			if len(seen) == o.Positions {
				return nil
			}
		}
	}
	return nil
}

// Draw plays a game from start. It chooses about half of the actions at random and the others by
// static evaluation. Then it picks, at random, one of the game's positions for which fit returns
// true. The second argument of fit is the number of plies from the position to the end of the game.
func Draw[S engine.State[S]](rules engine.Rules[S], start S, rng *rand.Rand, fit func(s S, left int) bool) (s S, ok bool, err error) {
	var path []S
	s, err = rules.PlayFrom(start, func(s S, _ int, legal []engine.Action) (engine.Action, error) {
		path = append(path, s)
		a := legal[rng.IntN(len(legal))]
		if rng.IntN(2) == 0 {
			a = promising(s, legal)
		}
		return a, nil
	})
	if err != nil {
		return s, false, err
	}
	var fitting []S
	for i, s := range path {
		if fit(s, len(path)-i) {
			fitting = append(fitting, s)
		}
	}
	if len(fitting) == 0 {
		return s, false, nil
	}
	return fitting[rng.IntN(len(fitting))], true, nil
}

// promising returns the action with the best static evaluation for the player to move.
func promising[S engine.State[S]](s S, legal []engine.Action) (best engine.Action) {
	sign, most := int(s.ToMove().Sign()), math.MinInt
	for _, a := range legal {
		next := s.Play(a)
		if value := sign * estimate(&next); value > most {
			best, most = a, value
		}
	}
	return best
}

// Late returns a constructor of candidates. Each candidate plays a game, picks a position from its
// last plies, and proves it with a search. The parameter plies limits the number of plies from the
// position to the end of the game, and nodes limits the search.
func Late[S engine.State[S]](rules engine.Rules[S], plies, nodes int) func(stop func() bool) Candidate {
	return func(stop func() bool) Candidate {
		prover := &Prover[S]{Nodes: nodes, Stop: stop}
		return func(rng *rand.Rand) (line Line, ok bool, err error) {
			start, err := rules.Deal(rng)
			if err != nil {
				return line, false, err
			}
			s, ok, err := Draw(rules, start, rng, func(_ S, left int) bool { return left <= plies })
			if ok {
				line, ok = prover.Line(s)
			}
			return line, ok, err
		}
	}
}
