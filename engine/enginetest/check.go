package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"dojo.example/engine"
)

// checker checks that positions keep the promises of engine.State. It checks one position at a time
// and reuses its buffers.
type checker struct {
	game         engine.Game
	legal        []engine.Action
	names        map[string]bool // names of the legal actions
	dirty, clean []float32       // planes of the position; before Encode, dirty was full of 7s and clean full of 0s
	in           engine.Input
	listed, same []uint16 // features of the position, and of the same position parsed from its text
	looks        looks
	moved        [2]bool // whether each player has been to move so far
	checked      int     // number of positions checked
}

func newChecker(game engine.Game) *checker {
	n := game.Planes.Size()
	return &checker{
		game: game, names: map[string]bool{}, dirty: make([]float32, n), clean: make([]float32, n),
		in: engine.FeatureInput(game.Planes, game.PerAction), looks: looks{},
	}
}

// groups returns an error unless all features of the game have different names.
func groups(game engine.Game) error {
	names := map[string]bool{}
	for f := range game.Features {
		names[game.FeatureGroups.NameOf(uint16(f))] = true
	}
	if len(names) != game.Features {
		return fmt.Errorf("%s: the %d features have only %d different names", game.Name, game.Features, len(names))
	}
	return nil
}

// games checks the first few thousand positions of the game (see begin), all positions of n random
// games, and all positions of one game that starts from the position Usual returns.
func (c *checker) games(n int) error {
	if err := groups(c.game); err != nil {
		return err
	}
	start, err := c.game.Deal(rand.New(rand.NewPCG(0, 0)))
	if err != nil {
		return err
	}
	if err := c.begin(start); err != nil {
		return err
	}
	if err := randomly(c.game, n, c.check); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(uint64(n), 0))
	if start, err = c.game.FirstPosition(rng); err != nil {
		return err
	}
	if start.Outcome() != engine.Ongoing {
		return fmt.Errorf("the game is already over in the usual start %s", start)
	}
	if err := playFrom(c.game, start, rng.IntN, c.check); err != nil {
		return fmt.Errorf("in a game from the usual start: %w", err)
	}
	if c.moved != [2]bool{true, true} {
		return fmt.Errorf("only one player moves in %d random games: does ToMove change after Play?", n)
	}
	return nil
}

// check checks one position. It parses the position's text into a second position and compares the
// two. It leaves the legal actions of p in c.legal.
func (c *checker) check(p engine.Position) error {
	text := p.String()
	if err := c.game.CheckText(text); err != nil {
		return err
	}
	back, err := c.game.Parse(text)
	if err != nil {
		return fmt.Errorf("function Parse cannot read the text that String returns: %w", err)
	}
	if back != p { // the error prints all fields with %#v, because the texts of back and p may be equal
		return fmt.Errorf("function Parse returns a different state for the text that String returns; does String omit a field, or does Parse ignore it?\n  written %#v\n  read    %#v", p.State(), back.State())
	}
	if g, ok := p.State().(engine.Gridder); ok {
		if err := g.Grid().Check(); err != nil {
			return err
		}
	}
	if d, ok := p.State().(engine.Drawer); ok && !strings.HasSuffix(d.Draw(), "\n") {
		return errors.New("the text that Draw returns does not end with a newline")
	}
	for _, law := range []func(p, back engine.Position) error{c.actions, c.features, c.classical, c.planes} {
		if err := law(p, back); err != nil {
			return err
		}
	}
	c.moved[p.ToMove()] = true
	if c.checked++; len(c.legal) > 0 {
		a := c.legal[c.checked%len(c.legal)]
		if read, err := engine.ParseAction(p, p.ActionString(a)); err != nil || read != a {
			return fmt.Errorf("action %d is written as %s, but read as action %d (error: %v)", a, p.ActionString(a), read, err)
		}
	}
	return c.looks.check(p, c.clean, c.listed)
}

func (c *checker) actions(p, _ engine.Position) error {
	const before = 3 // a value already in the slice; Legal must keep it
	all := p.Legal(append(c.legal[:0], before))
	if all[0] != before {
		return errors.New("method Legal must append to its argument, but it changes what is already there")
	}
	var err error
	if c.legal, err = c.game.Choices(p, all[:0]); err != nil {
		return err
	}
	if n := len(c.legal); n > c.game.MostLegal() {
		return fmt.Errorf("there are %d legal actions, but Spec.MaxLegal is %d", n, c.game.MostLegal())
	}
	clear(c.names)
	for _, a := range c.legal {
		name := p.ActionString(a)
		switch {
		case c.names[name]:
			return fmt.Errorf("two legal actions have the name %q", name)
		case p.Play(a) == p:
			return fmt.Errorf("action %s does not change the position", name)
		}
		c.names[name] = true
		for _, protocol := range c.game.Protocols {
			line := protocol.LineOf(p, a)
			if got, err := protocol.ActionIn(line); err != nil || got != name {
				return fmt.Errorf("protocol %s writes action %s as the answer %q, but reads this answer as %q (error: %v)", protocol.Name, name, line, got, err)
			}
		}
	}
	return nil
}

// list appends the features of p to dst.
func list(in *engine.Input, p engine.Position, dst []uint16) []uint16 {
	in.Reset()
	in.Features = dst
	in.Append(p)
	return in.Features
}

// features checks the feature list of p. The other position, back, equals p but was parsed from
// text.
func (c *checker) features(p, back engine.Position) error {
	const before = 3 // a value already in the slice; Features must keep it
	all := list(&c.in, p, append(c.listed[:0], before))
	if len(all) == 0 || all[0] != before {
		return errors.New("method Features must append to its argument, but it changes what is already there")
	}
	c.listed = append(all[:0], all[1:]...)
	for i, f := range c.listed {
		if i > 0 && f <= c.listed[i-1] {
			return fmt.Errorf("features %v are not in increasing order", c.listed)
		}
	}
	if c.same = list(&c.in, back, c.same[:0]); !slices.Equal(c.listed, c.same) {
		return fmt.Errorf("the features are %v, but %v in an equal state", c.listed, c.same)
	}
	return c.in.Check(c.game.Spec, 0)
}

func (c *checker) planes(p, _ engine.Position) error {
	for i := range c.dirty {
		c.dirty[i], c.clean[i] = 7, 0
	}
	p.Encode(c.dirty)
	p.Encode(c.clean)
	for i, v := range c.clean {
		if !(v >= 0 && v <= 1000) {
			return fmt.Errorf("element %d of the planes is %v; it should be in or near [0, 1]", i, v)
		}
	}
	if !slices.Equal(c.dirty, c.clean) {
		return errors.New("method Encode does not write all elements of the planes")
	}
	return nil
}

// classical checks the methods of p that a classical search uses. The other position, back, equals
// p but was parsed from text.
func (c *checker) classical(p, back engine.Position) error {
	if h, ok := p.State().(engine.Hasher); ok {
		if h.Hash() != back.State().(engine.Hasher).Hash() {
			return errors.New("equal states have different hashes")
		}
		for _, a := range c.legal {
			if p.Play(a).State().(engine.Hasher).Hash() == h.Hash() {
				return fmt.Errorf("%s does not change the hash", p.ActionString(a))
			}
		}
	}
	if p.Outcome() != engine.Ongoing {
		return nil
	}
	if striker, ok := p.State().(engine.Striker); ok {
		won := slices.ContainsFunc(c.legal, func(a engine.Action) bool { return p.Play(a).Outcome() == engine.WonBy(p.ToMove()) })
		if got := striker.Strikes(p.ToMove()); got != won {
			return fmt.Errorf("the mover has a winning action: %v, but Strikes returns %v", won, got)
		}
	}
	if t, ok := p.State().(engine.Tactician); ok {
		loud, settled := t.Loud(nil)
		if err := c.among(p, loud); err != nil {
			return fmt.Errorf("loud actions: %w", err)
		}
		if !settled && len(loud) != len(c.legal) {
			return fmt.Errorf("method Loud reports that the position is not settled, but returns only %d of %d legal actions; it must return all", len(loud), len(c.legal))
		}
	}
	if few, ok := p.State().(engine.Selector); ok {
		selected := few.Select(nil)
		if len(selected) == 0 || !slices.IsSorted(selected) {
			return fmt.Errorf("method Select returns %v; want at least one action, in increasing order", selected)
		}
		if err := c.among(p, selected); err != nil {
			return fmt.Errorf("selected actions: %w", err)
		}
	}
	return nil
}

// among returns an error if one of the actions is not legal in p or occurs twice.
func (c *checker) among(p engine.Position, actions []engine.Action) error {
	actions = slices.Sorted(slices.Values(actions))
	for i, a := range actions {
		if !slices.Contains(c.legal, a) {
			return fmt.Errorf("action %d is not legal", a)
		}
		if i > 0 && a == actions[i-1] {
			return fmt.Errorf("action %s occurs twice", p.ActionString(a))
		}
	}
	return nil
}
