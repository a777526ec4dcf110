// Package analysis searches positions and games, and describes the results for people and programs.
// The command line, the browser and the server all show its results.
//
//   - [Position] is a position in JSON. [Describe] and [Illustrate] create it.
//   - [Thought] is the result of a search: value, ranked moves and lines of play.
//   - [Analyser] searches many positions at a time. Each of these searches is a [Running], whose
//     Thought can be read during the search. [Analyser.Review] evaluates the actions of a game.
//   - [Service] reads one [Query] per line and writes an [Answer] to each.
//
// All values are from First's perspective, from -1 to 1.
package analysis

import (
	"dojo.example/engine"
)

// Position is a position in JSON.
type Position struct {
	Game     string   `json:"game"`
	Position string   `json:"position"` // in the game's notation
	ToMove   string   `json:"to_move" ts:"Player"`
	Outcome  string   `json:"outcome" ts:"Outcome"` // ongoing, first, second or draw
	Legal    []string `json:"legal"`                // names of the legal actions, if any
	Score    []int    `json:"score,omitempty" ts:"[number, number]"`

	// Illustrate sets Sketch and Drawing for games that can draw their positions.
	Sketch  any    `json:"sketch,omitempty"`  // board as data; see engine.Sketcher, engine.Gridder
	Drawing string `json:"drawing,omitempty"` // the board as text; see engine.Drawer

	// Reached sets Move and Stages. Move is the action that led to this position. Stages lists the
	// steps of this action that a board can show one after another, for games that implement
	// engine.Stager.
	Move   string `json:"move,omitempty"`
	Stages any    `json:"stages,omitempty"`
}

// Describe returns the JSON form of a position of the named game. If the game has scores, Score is
// the score of First and then the score of Second.
func Describe(game string, p engine.Position) Position {
	return Position{
		Game: game, Position: p.String(), ToMove: p.ToMove().String(), Outcome: p.Outcome().String(),
		Legal: Legal(p), Score: engine.ScoreOf(p.State()),
	}
}

// Illustrate is like Describe, but also sets Sketch and Drawing, so that a program can show the
// board.
func Illustrate(game string, p engine.Position) Position {
	d := Describe(game, p)
	if s, ok := p.State().(engine.Sketcher); ok {
		d.Sketch = s.Sketch()
	} else if s, ok := p.State().(engine.Gridder); ok {
		d.Sketch = s.Grid()
	}
	if s, ok := p.State().(engine.Drawer); ok {
		d.Drawing = s.Draw()
	}
	return d
}

// Reached returns the position after the legal action a, in the form of Illustrate. It also sets
// Move and Stages.
func Reached(game string, before engine.Position, a engine.Action) Position {
	d := Illustrate(game, before.Play(a))
	d.Move = before.ActionString(a)
	if s, ok := before.State().(engine.Stager); ok {
		d.Stages = s.Stages(a)
	}
	return d
}

// Legal returns the names of the legal actions. It returns an empty slice if the game is over.
func Legal(p engine.Position) []string {
	names := []string{}
	if p.Outcome() != engine.Ongoing {
		return names
	}
	for _, action := range p.Legal(nil) {
		names = append(names, p.ActionString(action))
	}
	return names
}

// Line returns the names of actions that are played one after another, starting in p.
func Line(p engine.Position, actions []engine.Action) []string {
	var names []string
	for _, action := range actions {
		names = append(names, p.ActionString(action))
		p = p.Play(action)
	}
	return names
}

// Drawing returns the board as text for people: the game's drawing, or, if there is none, the
// position in the game's notation. The text ends with a newline.
func Drawing(p engine.Position) string {
	if d, ok := p.State().(engine.Drawer); ok {
		return d.Draw()
	}
	return p.String() + "\n"
}

// Outcome returns the outcome of a game in words, such as "first wins".
func Outcome(o engine.Outcome) string {
	switch o {
	case engine.FirstWins:
		return "first wins"
	case engine.SecondWins:
		return "second wins"
	}
	return o.String()
}
