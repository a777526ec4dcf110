package engine

import (
	"fmt"
	"math/rand/v2"
)

// This file checks games while they are played. A search visits millions of positions and trusts
// the rules. Self-play, matches, random games and tests visit only a few hundred positions per
// game, so they can afford to check the promises of [State] and [Spec]. Without these checks, a
// broken promise would cause a panic or a game that never ends. [Rules.Deal] begins a game.
// [Rules.Turn] checks one position of a game. [Rules.PlayFrom] plays a game to its end and checks
// every position.

// mostDeals is the number of times that Deal calls Start before it gives up.
const mostDeals = 1000

// Deal returns the first position of a game. If Start returns a position in which the game is
// already over, Deal calls Start again with the same rng. The author of a game with random deals
// therefore need not write this loop, and the same rng still gives the same game. Deal returns an
// error after mostDeals such positions in a row.
func (r Rules[S]) Deal(rng *rand.Rand) (s S, err error) {
	for range mostDeals {
		if s = r.Start(rng); s.Outcome() == Ongoing {
			return s, nil
		}
	}
	return s, fmt.Errorf("game %s: Start returned %d positions in a row in which the game is already over, the last one %q", r.Name, mostDeals, s)
}

// Choices appends the legal actions of s to dst. It returns an error if an unfinished game has no
// legal action, if an action is not less than Spec.Actions, or if the actions are not in increasing
// order.
func (r Rules[S]) Choices(s S, dst []Action) ([]Action, error) {
	all := s.Legal(dst)
	legal := all[min(len(dst), len(all)):]
	if len(legal) == 0 && s.Outcome() == Ongoing {
		return all, fmt.Errorf("game %s is not over in %q, but there is no legal action", r.Name, s)
	}
	for i, a := range legal {
		switch {
		case int(a) >= r.Actions:
			return all, fmt.Errorf("game %s: action %d of %q is too large: Spec.Actions is %d", r.Name, a, s, r.Actions)
		case i > 0 && a <= legal[i-1]:
			return all, fmt.Errorf("game %s: the legal actions of %q are not in increasing order: %d comes after %d", r.Name, s, a, legal[i-1])
		}
	}
	return all, nil
}

// Turn checks a position of a game between programs and returns its legal actions. It returns an
// error if Limit or Choices does. The parameter ply is the number of actions played before s.
func (r Rules[S]) Turn(s S, ply int, dst []Action) ([]Action, error) {
	if err := r.Limit(s, ply); err != nil {
		return dst, err
	}
	return r.Choices(s, dst)
}

// Limit returns an error if a game between programs is too long, that is, not over after
// Spec.MaxPlies actions. The parameter ply is the number of actions played before s. If the game
// has no ply limit, Limit returns the error of Ends.
func (r Rules[S]) Limit(s S, ply int) error {
	if ply < r.MaxPlies || s.Outcome() != Ongoing {
		return nil
	}
	if err := r.Ends(); err != nil {
		return err
	}
	return fmt.Errorf("game %s is not over after %d plies, the limit of its rules (MaxPlies), in %q", r.Name, ply, s)
}

// Ends returns an error if the game has no ply limit. Only people can play such a game.
func (s Spec) Ends() error {
	if s.MaxPlies == 0 {
		return fmt.Errorf("game %s has no limit of plies, so programs could play it forever; play it yourself (dojo play), or set a limit", s.Name)
	}
	return nil
}

// PlayFrom plays a game from s and returns its last position. It counts s as ply 0. The function
// choose returns one of the legal actions of a position. If choose returns an error, the game stops
// with this error.
func (r Rules[S]) PlayFrom(s S, choose func(s S, ply int, legal []Action) (Action, error)) (S, error) {
	var legal []Action
	for ply := 0; s.Outcome() == Ongoing; ply++ {
		var err error
		if legal, err = r.Turn(s, ply, legal[:0]); err != nil {
			return s, err
		}
		a, err := choose(s, ply, legal)
		if err != nil {
			return s, err
		}
		s = s.Play(a)
	}
	return s, nil
}

// RandomPlayout plays random actions from s to the end of the game and returns the number of
// actions.
func (r Rules[S]) RandomPlayout(s S, rng *rand.Rand) (plies int, err error) {
	_, err = r.PlayFrom(s, func(_ S, ply int, legal []Action) (Action, error) {
		plies = ply + 1
		return legal[rng.IntN(len(legal))], nil
	})
	return plies, err
}

// RandomPositions plays random games and returns the first n positions in which the game is not
// over.
func (r Rules[S]) RandomPositions(n int, rng *rand.Rand) (all []S, err error) {
	for len(all) < n {
		start, err := r.Deal(rng)
		if err == nil {
			_, err = r.PlayFrom(start, func(s S, _ int, legal []Action) (Action, error) {
				all = append(all, s)
				return legal[rng.IntN(len(legal))], nil
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return all[:n], nil
}
