package solve

import (
	"strconv"

	"dojo.example/engine"
)

// A Result is the outcome of best play for the mover.
type Result int8

const (
	Lost  Result = -1
	Drawn Result = 0
	Won   Result = 1
)

// A Value is what a position is worth to the mover and, if it is won or lost, the number
// of plies to the end, or 0 if that is unknown.
type Value struct {
	Result Result
	Plies  int
}

// String returns the value as it is written in files: W5, L10, D, or W and L alone.
func (v Value) String() string {
	text := string("LDW"[v.Result+1])
	if v.Plies > 0 && v.Result != Drawn {
		text += strconv.Itoa(v.Plies)
	}
	return text
}

// before returns the value of an action that leads to a position with value v, to the
// player of the action; same reports whether that player moves again.
func (v Value) before(same bool) Value {
	if !same {
		v.Result = -v.Result
	}
	if v.Plies > 0 {
		v.Plies++
	}
	return v
}

// better reports whether v is better than o for the mover, who prefers quick wins and
// late losses.
func (v Value) better(o Value) bool {
	switch {
	case v.Result != o.Result:
		return v.Result > o.Result
	case v.Result == Won:
		return v.Plies != 0 && (o.Plies == 0 || v.Plies < o.Plies)
	case v.Result == Lost:
		return o.Plies != 0 && (v.Plies == 0 || v.Plies > o.Plies)
	}
	return false
}

// A Line is a solved position as dojo evaluate --solved reads it: the value of each
// action to the mover, and the value of the best one.
type Line struct {
	Position string            `json:"pos"`
	Value    string            `json:"value"`
	Moves    map[string]string `json:"moves"`

	best    Value
	matters bool // some actions keep the value of the position and others do not
}

// valueOf returns the value of an action to the mover of s. The function value
// returns the value of a position in which the game is not over.
func valueOf[S engine.State[S]](s S, a engine.Action, value func(S) (Value, bool)) (Value, bool) {
	next := s.Play(a)
	if o := next.Outcome(); o != engine.Ongoing {
		return Value{Result(o.Value() * s.ToMove().Sign()), 1}, true
	}
	v, ok := value(next)
	return v.before(next.ToMove() == s.ToMove()), ok
}

// line returns the line of s from the values of its successors.
func line[S engine.State[S]](s S, value func(S) (Value, bool)) (l Line, ok bool) {
	l = Line{Position: s.String(), Moves: map[string]string{}}
	worst := Won
	for _, a := range s.Legal(nil) {
		v, ok := valueOf(s, a, value)
		if !ok {
			return l, false
		}
		l.Moves[s.ActionString(a)] = v.String()
		worst = min(worst, v.Result)
		if len(l.Moves) == 1 || v.better(l.best) {
			l.best = v
		}
	}
	l.Value, l.matters = l.best.String(), worst < l.best.Result
	return l, len(l.Moves) > 0
}
