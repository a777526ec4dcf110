package enginetest

import (
	"fmt"
	"slices"

	"dojo/engine"
)

// classical checks what s offers to a classical search; back is equal to s, and
// c.legal has its legal actions.
func (c *checker[S]) classical(s, back S) error {
	if h, ok := any(s).(engine.Hasher); ok {
		if h.Hash() != any(back).(engine.Hasher).Hash() {
			return fmt.Errorf("equal states have different hashes")
		}
		for _, a := range c.legal {
			if any(s.Play(a)).(engine.Hasher).Hash() == h.Hash() {
				return fmt.Errorf("%s does not change the hash", s.ActionString(a))
			}
		}
	}
	if s.Outcome() != engine.Ongoing {
		return nil
	}
	if err := c.wins(s); err != nil {
		return err
	}
	if t, ok := any(s).(engine.Tactician); ok {
		loud, settled := t.Loud(nil)
		if err := c.among(s, loud); err != nil {
			return fmt.Errorf("loud actions: %w", err)
		}
		if !settled && len(loud) != len(c.legal) {
			return fmt.Errorf("the mover must act, but only %d of %d actions are loud", len(loud), len(c.legal))
		}
	}
	if few, ok := any(s).(engine.Selector); ok {
		selected := few.Select(nil)
		if len(selected) == 0 || !slices.IsSorted(selected) {
			return fmt.Errorf("the selected actions %v are none, or out of order", selected)
		}
		if err := c.among(s, selected); err != nil {
			return fmt.Errorf("selected actions: %w", err)
		}
	}
	return nil
}

// wins checks what s, in which the game is not over, reports of immediate wins.
func (c *checker[S]) wins(s S) error {
	mover := s.ToMove()
	if striker, ok := any(s).(engine.Striker); ok {
		won := slices.ContainsFunc(c.legal, func(a engine.Action) bool { return s.Play(a).Outcome() == engine.WonBy(mover) })
		if got := striker.Strikes(mover); got != won {
			return fmt.Errorf("the mover has a winning action: %v, but Strikes says %v", won, got)
		}
	}
	return nil
}

// among returns an error unless the actions are legal in s and different.
func (c *checker[S]) among(s S, actions []engine.Action) error {
	actions = slices.Sorted(slices.Values(actions))
	for i, a := range actions {
		if !slices.Contains(c.legal, a) {
			return fmt.Errorf("action %d is not legal", a)
		}
		if i > 0 && a == actions[i-1] {
			return fmt.Errorf("%s is there twice", s.ActionString(a))
		}
	}
	return nil
}
