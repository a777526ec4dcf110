package solve

import (
	"strconv"

	"dojo/engine"
)

// A Result is how best play ends for the mover.
type Result int8

const (
	Lost  Result = -1
	Drawn Result = 0
	Won   Result = 1
)

// A Value is what a position is worth to the mover, and the plies to the end if it
// is won or lost: 0 if they are not known.
type Value struct {
	Result Result
	Plies  int
}

// String is a value as files have it: W5, L10, D, or W and L.
func (v Value) String() string {
	text := string("LDW"[v.Result+1])
	if v.Plies > 0 && v.Result != Drawn {
		text += strconv.Itoa(v.Plies)
	}
	return text
}

// before is the value, to who plays it, of an action after which a position with
// value v is there; same tells that he is to move again.
func (v Value) before(same bool) Value {
	if !same {
		v.Result = -v.Result
	}
	if v.Plies > 0 {
		v.Plies++
	}
	return v
}

// better reports whether the mover would rather have v than o: a win, and soon, or
// a late loss.
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

// A Line is a solved position in the form that dojo evaluate --solved reads: the
// value to the mover of each action, and that of the best.
type Line struct {
	Position string            `json:"pos"`
	Value    string            `json:"value"`
	Moves    map[string]string `json:"moves"`

	Played string `json:"played,omitempty"` // the action by which a game was lost; see [Prover.Blunder]

	best    Value
	matters bool
}

// Matters reports whether some action gives the value away, and some does not.
func (l Line) Matters() bool { return l.matters }

// Plies is how soon best play ends the game; 0: it does not, or is not known.
func (l Line) Plies() int { return l.best.Plies }

// line makes the line of a position from the values of those after it.
func line[S engine.State[S]](s S, value func(S) (Value, bool)) (l Line, ok bool) {
	l = Line{Position: s.String(), Moves: map[string]string{}}
	worst := Won
	for _, a := range s.Legal(nil) {
		next := s.Play(a)
		var v Value
		if o := next.Outcome(); o != engine.Ongoing {
			v = Value{Result(o.Value() * s.ToMove().Sign()), 1}
		} else if v, ok = value(next); ok {
			v = v.before(next.ToMove() == s.ToMove())
		} else {
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
