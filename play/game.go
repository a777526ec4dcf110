// Package play represents a game as people play it: actions so far, undo, saving and
// loading as text, and finding the action that an input means. It is independent of
// terminals, browsers and servers.
package play

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"dojo.example/engine"
	"dojo.example/play/analysis"
)

// Game is a game in progress.
type Game struct {
	Rules     engine.Game
	Positions []engine.Position // from the start to the present one, at least one
	Actions   []engine.Action   // between them

	replaced *Game // the game before Replace, or nil
}

// New returns a game that begins at a position.
func New(rules engine.Game, start engine.Position) Game {
	return Game{Rules: rules, Positions: []engine.Position{start}}
}

// Words that stand for a position where one is wanted; see [Position].
const (
	Start = "start" // what self-play deals from the seed
	Usual = "usual" // from where people begin; see engine.Game
)

// Position reads a position in the game's notation, or one of the words for a position.
func Position(rules engine.Game, text string, seed uint64) (engine.Position, error) {
	switch text {
	case Start:
		return rules.Deal(rand.New(rand.NewPCG(seed, 0)))
	case Usual:
		return rules.FirstPosition(rand.New(rand.NewPCG(seed, 0)))
	}
	return rules.Parse(text)
}

// Reach returns the position that the first word names, as [Position] reads it, after the actions
// that the others name; see [engine.ParseLine].
func Reach(rules engine.Game, words []string, seed uint64) (engine.Position, error) {
	p, err := Position(rules, words[0], seed)
	if err != nil {
		return nil, err
	}
	path, _, err := engine.ParseLine(p, words[1:])
	return path[len(path)-1], err
}

// Follow returns the game that plays the named actions from a position; see
// [engine.ParseLine].
func Follow(rules engine.Game, position string, actions []string) (g Game, err error) {
	start, err := rules.Parse(position)
	if err != nil {
		return g, err
	}
	g.Rules = rules
	g.Positions, g.Actions, err = engine.ParseLine(start, actions)
	return g, err
}

// Replay returns the game in which each of the actions was played in the position of the same
// index, as the rows of a shard have them.
func Replay(rules engine.Game, positions []string, actions []int32) (g Game, err error) {
	start, err := rules.Parse(positions[0])
	if err != nil {
		return g, err
	}
	g = New(rules, start)
	for i, n := range actions {
		a := engine.Action(n)
		if p := g.Now(); p.String() != positions[i] || !slices.Contains(p.Legal(nil), a) {
			return g, fmt.Errorf("it is not one game after action %d", i)
		}
		g.Play(a)
	}
	return g, nil
}

// Now returns the present position.
func (g *Game) Now() engine.Position { return g.Positions[len(g.Positions)-1] }

// Over reports whether the game has ended.
func (g *Game) Over() bool { return g.Now().Outcome() != engine.Ongoing }

// Play plays legal actions one after another.
func (g *Game) Play(actions ...engine.Action) {
	for _, action := range actions {
		g.Positions = append(g.Positions, g.Now().Play(action))
		g.Actions = append(g.Actions, action)
	}
}

// Show returns all positions of the game for programs that draw them, each with the
// action that led to it.
func (g *Game) Show() (shown []analysis.Position) {
	for i := range g.Positions {
		shown = append(shown, g.ShowAfter(i))
	}
	return shown
}

// ShowAfter returns the position after n actions, as Show does.
func (g *Game) ShowAfter(n int) analysis.Position {
	if n == 0 {
		return analysis.Illustrate(g.Rules.Name, g.Positions[0])
	}
	return analysis.Reached(g.Rules.Name, g.Positions[n-1], g.Actions[n-1])
}

// Replace goes on with another game. Undo returns to this one.
func (g *Game) Replace(other Game) {
	before := *g
	*g = other
	g.replaced = &before
}

// Undo goes back to the last position in which a player for whom human returns true
// was to move, or else to the game before Replace. It returns false if there is
// neither.
func (g *Game) Undo(human func(engine.Player) bool) bool {
	for n := len(g.Actions) - 1; n >= 0; n-- {
		if human(g.Positions[n].ToMove()) {
			g.Positions, g.Actions = g.Positions[:n+1], g.Actions[:n]
			return true
		}
	}
	if g.replaced == nil {
		return false
	}
	*g = *g.replaced
	return true
}
