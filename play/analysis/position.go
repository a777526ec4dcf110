// Package analysis searches positions and games, and describes what it finds for people
// and programs. The command line, the browser and the server all show its results.
//
//   - [Position] is a position in JSON; [Describe] and [Illustrate] make it.
//   - [Thought] is what a search has found of a position: value, ranked moves, lines.
//   - [Analyser] searches many positions at a time, and [Running] is one of these
//     searches: its Thought can be read while it grows. [Analyser.Review] judges the
//     actions of a game.
//   - [Service] answers a [Query] on each line that it reads with an [Answer].
//
// All values are First's, in [-1, 1].
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
	Legal    []string `json:"legal"`                // empty when the game is over
	Score    []int    `json:"score,omitempty" ts:"[number, number]"`

	// Illustrate sets these, which draw the position, for games that have them.
	Sketch  any    `json:"sketch,omitempty"`  // the board as data; see engine.Sketcher and engine.Gridder
	Drawing string `json:"drawing,omitempty"` // the board as text; see engine.Drawer

	// Reached sets these: the action that led here and, for games that have it, what happened
	// in the course of that action (see engine.Stager).
	Move   string `json:"move,omitempty"`
	Stages any    `json:"stages,omitempty"`
}

// Describe returns the JSON form of a position of the named game. In a game with scores, Score
// is [first, second].
func Describe(game string, p engine.Position) Position {
	return Position{
		Game: game, Position: p.String(), ToMove: p.ToMove().String(), Outcome: p.Outcome().String(),
		Legal: Legal(p), Score: engine.ScoreOf(p.State()),
	}
}

// Illustrate is Describe with Sketch and Drawing, by which a program shows the board.
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

// Reached is Illustrate of the position after a legal action, with Move and Stages.
func Reached(game string, before engine.Position, a engine.Action) Position {
	d := Illustrate(game, before.Play(a))
	d.Move = before.ActionString(a)
	if s, ok := before.State().(engine.Stager); ok {
		d.Stages = s.Stages(a)
	}
	return d
}

// Legal returns the names of the legal actions; none if the game is over.
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

// Line returns the names of actions that are played one after another from p.
func Line(p engine.Position, actions []engine.Action) []string {
	var names []string
	for _, action := range actions {
		names = append(names, p.ActionString(action))
		p = p.Play(action)
	}
	return names
}

// Drawing returns the board as text for people: the game's drawing or, in a game without one, the
// position in its notation. The text ends with a newline.
func Drawing(p engine.Position) string {
	if d, ok := p.State().(engine.Drawer); ok {
		return d.Draw()
	}
	return p.String() + "\n"
}

// Outcome says in words how a game ended.
func Outcome(o engine.Outcome) string {
	switch o {
	case engine.FirstWins:
		return "first wins"
	case engine.SecondWins:
		return "second wins"
	}
	return o.String()
}
