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
	"dojo/engine"
)

// Position is a position in JSON.
type Position struct {
	Game     string   `json:"game"`
	Position string   `json:"position"` // in the game's notation
	ToMove   string   `json:"to_move"`  // first or second
	Outcome  string   `json:"outcome"`  // ongoing, first, second or draw
	Legal    []string `json:"legal"`    // empty when the game is over
	Score    []int    `json:"score,omitempty"`

	// What a program needs to draw it, of games that say; see Illustrate.
	Sketch  any    `json:"sketch,omitempty"`
	Drawing string `json:"drawing,omitempty"`

	// How a game came here, in the list of its positions: the action that was played, and
	// what happened in it, of games that say; see engine.Stager.
	Move   string `json:"move,omitempty"`
	Stages any    `json:"stages,omitempty"`
}

// Describe is the JSON form of a position of the named game. Score is [first,
// second], of games that keep one.
func Describe(game string, p engine.Position) Position {
	d := Position{
		Game: game, Position: p.String(), ToMove: p.ToMove().String(), Outcome: p.Outcome().String(),
		Legal: Legal(p),
	}
	if scorer, ok := p.State().(engine.Scorer); ok {
		first, second := scorer.Score()
		d.Score = []int{first, second}
	}
	return d
}

// Illustrate is Describe with what a program needs to draw the position.
func Illustrate(game string, p engine.Position) Position {
	d := Describe(game, p)
	if s, ok := p.State().(engine.Sketcher); ok {
		d.Sketch = s.Sketch()
	}
	if s, ok := p.State().(engine.Drawer); ok {
		d.Drawing = s.Draw()
	}
	return d
}

// Reached is Illustrate of the position that a legal action leads to, with that action.
func Reached(game string, before engine.Position, a engine.Action) Position {
	d := Illustrate(game, before.Play(a))
	d.Move = before.ActionString(a)
	if s, ok := before.State().(engine.Stager); ok {
		d.Stages = s.Stages(a)
	}
	return d
}

// Legal are the names of the legal actions, none if the game is over.
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

// Line are the names of actions played one after another from p.
func Line(p engine.Position, actions []engine.Action) []string {
	var names []string
	for _, action := range actions {
		names = append(names, p.ActionString(action))
		p = p.Play(action)
	}
	return names
}

// Drawing is the board for people: a drawing where the game has one, or else
// the position line. It ends with a newline.
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
