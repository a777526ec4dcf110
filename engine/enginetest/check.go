package enginetest

import (
	"fmt"
	"slices"

	"dojo/engine"
)

// checker checks the promises of positions, reusing its memory.
type checker[S engine.State[S]] struct {
	rules        engine.Rules[S]
	legal        []engine.Action
	names        map[string]bool // of the legal actions
	dirty, clean []float32       // planes written over sevens and over zeros
	lister       lister[S]
	listed, same []uint16 // features of a position, and of what is read back
	looks        looks[S]
	moved        [2]bool // who has been to move
}

func newChecker[S engine.State[S]](r engine.Rules[S]) *checker[S] {
	r = described(r)
	n := r.Planes.Size()
	return &checker[S]{rules: r, names: map[string]bool{}, dirty: make([]float32, n), clean: make([]float32, n), lister: newLister(r), looks: looks[S]{}}
}

// play checks a whole game; choose picks one of n actions.
func (c *checker[S]) play(s S, choose func(n int) int) error {
	for ply := 0; ; ply++ {
		if err := c.check(s); err != nil {
			return fmt.Errorf("ply %d: %s: %w", ply, s, err)
		}
		if s.Outcome() != engine.Ongoing {
			return nil
		}
		if ply >= c.rules.MaxPlies {
			return fmt.Errorf("%s: still going after %d plies", s, ply)
		}
		s = s.Play(c.legal[choose(len(c.legal))])
	}
}

// check checks a position. It leaves the legal actions in c.legal.
func (c *checker[S]) check(s S) error {
	if err := c.actions(s); err != nil {
		return err
	}
	c.moved[s.ToMove()] = true
	back, err := c.rules.Parse(s.String())
	if err != nil || back != s {
		return fmt.Errorf("it is read as %v, %v", back, err)
	}
	if err := c.features(s, back); err != nil {
		return err
	}
	if err := c.classical(s, back); err != nil {
		return err
	}
	for i := range c.dirty {
		c.dirty[i], c.clean[i] = 7, 0
	}
	s.Encode(c.dirty)
	s.Encode(c.clean)
	for i, v := range c.clean {
		if !(v >= 0 && v <= 1000) {
			return fmt.Errorf("plane element %d is %v: it should be near [0, 1]", i, v)
		}
	}
	if !slices.Equal(c.dirty, c.clean) {
		return fmt.Errorf("planes are not all written")
	}
	return c.looks.check(s, c.clean, c.listed)
}

func (c *checker[S]) actions(s S) error {
	const before = 3 // is an action already there
	all := s.Legal(append(c.legal[:0], before))
	if all[0] != before {
		return fmt.Errorf("legal actions are not appended")
	}
	c.legal = append(all[:0], all[1:]...)
	clear(c.names)
	if s.Outcome() == engine.Ongoing && len(c.legal) == 0 {
		return fmt.Errorf("no legal action in an unfinished game")
	}
	for i, a := range c.legal {
		name := s.ActionString(a)
		switch {
		case i > 0 && a <= c.legal[i-1]:
			return fmt.Errorf("legal actions %v are not in increasing order", c.legal)
		case int(a) >= c.rules.Actions:
			return fmt.Errorf("action %d is outside the action space", a)
		case c.names[name]:
			return fmt.Errorf("two legal actions are called %q", name)
		}
		c.names[name] = true
		if old := s; s.Play(a) == old || s != old {
			return fmt.Errorf("%s must change the result and only the result", name)
		}
	}
	return nil
}
