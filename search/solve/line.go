package solve

import (
	"strconv"

	"dojo.example/engine"
)

// A Value is the outcome of a position under best play of both players. If the position is won or
// lost, Plies is the number of plies to the end, or 0 if that number is unknown.
type Value struct {
	Outcome engine.Outcome
	Plies   int
}

// result returns 1 if the player wins, -1 if the player loses, and 0 for a draw.
func (v Value) result(player engine.Player) int { return int(v.Outcome.Value() * player.Sign()) }

// rank returns a number that is larger the more the player likes the value: the quickest win has
// the largest rank, the quickest loss the smallest.
func (v Value) rank(player engine.Player) int {
	const most = 1000 // larger than any number of plies
	if v.Plies == 0 {
		return v.result(player)
	}
	return v.result(player) * (most - v.Plies)
}

// text returns the value, from the player's view, in the notation of files of solved positions: W5
// (the player wins in 5 plies), L10, D (a draw), or W and L if the number of plies is unknown.
func (v Value) text(player engine.Player) string {
	text := string("LDW"[1+v.result(player)])
	if v.Plies > 0 && v.Outcome != engine.Draw {
		text += strconv.Itoa(v.Plies)
	}
	return text
}

// A Line is a solved position in the format that dojo evaluate --solved reads. It has the value of
// each action for the player to move, and the value of the best action.
type Line struct {
	Position string            `json:"pos"`
	Value    string            `json:"value"`
	Moves    map[string]string `json:"moves"`

	best    Value
	matters bool // whether some actions keep the value of the position and others do not
}

// line computes the Line of s from the values of the positions after each action. It calls find for
// each of these positions in which the game is not over. find returns the position's value, or
// false if the value is unknown. line returns false if a value is unknown or s has no legal action.
func line[S engine.State[S]](s S, find func(S) (Value, bool)) (Line, bool) {
	l, mover, worst := Line{Position: s.String(), Moves: map[string]string{}}, s.ToMove(), 1
	for _, a := range s.Legal(nil) {
		next := s.Play(a)
		v, known := Value{next.Outcome(), 1}, true
		if v.Outcome == engine.Ongoing {
			if v, known = find(next); !known {
				return l, false
			}
			v.Plies += min(v.Plies, 1) // count this action too, unless the number of plies is unknown (0)
		}
		l.Moves[s.ActionString(a)] = v.text(mover)
		worst = min(worst, v.result(mover))
		if len(l.Moves) == 1 || v.rank(mover) > l.best.rank(mover) {
			l.best = v
		}
	}
	l.Value, l.matters = l.best.text(mover), worst < l.best.result(mover)
	return l, len(l.Moves) > 0
}
