// Package play represents a game that people play: the actions so far, undo, saving and loading as
// text, and the interpretation of typed actions. It does not depend on a terminal, a browser or a
// server.
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
	Positions []engine.Position // all positions from the start to the current one; at least one
	Actions   []engine.Action   // action i leads from position i to position i+1

	replaced *Game // the game that Replace has replaced, or nil
}

// New returns a game that begins at the position start.
func New(rules engine.Game, start engine.Position) Game {
	return Game{Rules: rules, Positions: []engine.Position{start}}
}

// [Position] accepts these words instead of a position.
const (
	Start = "start" // a random start position as in self-play; the seed determines it
	Usual = "usual" // the position from which people usually begin; see engine.Game
)

// Position parses a position in the game's notation, or one of the words Start and Usual. If a word
// asks for a random position, the seed determines it.
func Position(rules engine.Game, text string, seed uint64) (engine.Position, error) {
	switch text {
	case Start:
		return rules.Deal(rand.New(rand.NewPCG(seed, 0)))
	case Usual:
		return rules.FirstPosition(rand.New(rand.NewPCG(seed, 0)))
	}
	return rules.Parse(text)
}

// Reach returns the position after a sequence of actions. The first word gives the start, in a form
// that [Position] accepts. The other words give the actions, in a form that [engine.ParseLine]
// accepts.
func Reach(rules engine.Game, words []string, seed uint64) (engine.Position, error) {
	p, err := Position(rules, words[0], seed)
	if err != nil {
		return nil, err
	}
	path, _, err := engine.ParseLine(p, words[1:])
	return path[len(path)-1], err
}

// Follow returns the game that begins at a position and plays the named actions; see
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

// Replay returns a game from the rows that a shard (a file of training data) stores for it. Action
// i is played in position i. If the positions and actions do not form one legal game, Replay
// returns an error.
func Replay(rules engine.Game, positions []string, actions []int32) (g Game, err error) {
	start, err := rules.Parse(positions[0])
	if err != nil {
		return g, err
	}
	g = New(rules, start)
	for i, n := range actions {
		a := engine.Action(n)
		if p := g.Now(); p.String() != positions[i] || !slices.Contains(p.Legal(nil), a) {
			return g, fmt.Errorf("the positions and actions are not one legal game: they do not match after %d actions", i)
		}
		g.Play(a)
	}
	return g, nil
}

// Now returns the current position.
func (g *Game) Now() engine.Position { return g.Positions[len(g.Positions)-1] }

// Over reports whether the game has ended.
func (g *Game) Over() bool { return g.Now().Outcome() != engine.Ongoing }

// Play plays the given legal actions in order.
func (g *Game) Play(actions ...engine.Action) {
	for _, action := range actions {
		g.Positions = append(g.Positions, g.Now().Play(action))
		g.Actions = append(g.Actions, action)
	}
}

// Show returns all positions of the game in a form that programs can draw. Each position except the
// first includes the action that led to it.
func (g *Game) Show() (shown []analysis.Position) {
	for i := range g.Positions {
		shown = append(shown, g.ShowAfter(i))
	}
	return shown
}

// ShowAfter returns the position after n actions, in the same form as Show.
func (g *Game) ShowAfter(n int) analysis.Position {
	if n == 0 {
		return analysis.Illustrate(g.Rules.Name, g.Positions[0])
	}
	return analysis.Reached(g.Rules.Name, g.Positions[n-1], g.Actions[n-1])
}

// Replace replaces the game by another one. Undo can bring the replaced game back.
func (g *Game) Replace(other Game) {
	before := *g
	*g = other
	g.replaced = &before
}

// Undo goes back to the last position in which a human was to move. The function human reports
// which players are human. If there is no such position, Undo returns to the game that the last
// Replace replaced. If there is no such game either, Undo returns false.
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
