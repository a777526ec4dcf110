package solve

import (
	"cmp"
	"slices"
	"unsafe"

	"dojo/engine"
)

// A Prover proves the value of positions by search: it asks for deeper and deeper
// trees whether a player can force a result within them, until the answer is known
// or the bound is reached. It uses one goroutine at a time.
type Prover[S engine.State[S]] struct {
	// Nodes bounds the positions that are made for one Line, and with them the
	// memory; see ProverBytes.
	Nodes int

	// Probe knows the value of some positions; nil: of none.
	Probe func(S) (Value, bool)

	// Stop is asked every few hundred positions; true ends the search.
	Stop func() bool

	known map[question[S]]answer
	nodes int
	stuck bool // the bound was reached, or Stop said so
	loose bool // in this line a probe proved a result that is more plies away than were left
}

// A question is whether a player can force a win in a state, or at least a draw.
type question[S engine.State[S]] struct {
	state  S
	player engine.Player
	draw   bool
}

// An answer is what is known of a question: yes within so many plies, and not
// within so many.
type answer struct{ yes, no uint8 }

const (
	mostPlies = 200 // of a proof
	askEvery  = 1 << 9
)

// ProverBytes is about the memory of a prover with a bound of nodes.
func ProverBytes[S engine.State[S]](nodes int) int64 {
	var q question[S]
	const load = 3 // a map that has just grown, and the one that it grew from
	return load * int64(nodes) * int64(unsafe.Sizeof(q)+unsafe.Sizeof(answer{}))
}

// Line is a position with the values of all its actions, if all can be proved.
func (p *Prover[S]) Line(s S) (Line, bool) {
	p.reset()
	return line(s, p.value)
}

// reset begins a search of its own.
func (p *Prover[S]) reset() {
	p.known, p.nodes, p.stuck, p.loose = map[question[S]]answer{}, 0, false, false
}

// value proves a position where the game is not over.
func (p *Prover[S]) value(s S) (Value, bool) {
	if p.Probe != nil {
		if v, ok := p.Probe(s); ok {
			return v, true
		}
	}
	me := s.ToMove()
	for plies := 1; plies <= mostPlies && !p.stuck; plies++ {
		exact := func() int {
			if p.loose {
				return 0
			}
			return plies
		}
		switch {
		case p.forces(question[S]{s, me, false}, plies):
			return Value{Won, exact()}, true
		case p.forces(question[S]{s, 1 - me, false}, plies):
			return Value{Lost, exact()}, true
		case p.forces(question[S]{s, me, true}, plies) && p.forces(question[S]{s, 1 - me, true}, plies):
			return Value{Drawn, 0}, true
		}
	}
	return Value{}, false
}

// forces answers a question for games that end within some plies. It is false, and
// means nothing, once the prover is stuck.
func (p *Prover[S]) forces(q question[S], plies int) bool {
	if yes, known := q.decided(); known || plies == 0 && p.Probe == nil {
		return known && yes
	}
	if p.Probe != nil {
		if v, ok := p.Probe(q.state); ok {
			yes := q.satisfied(v.Result, q.state.ToMove())
			p.loose = p.loose || yes && v.Plies > plies
			return yes
		}
	}
	known := p.known[q]
	switch {
	case plies == 0:
		return false
	case known.yes > 0 && plies >= int(known.yes):
		return true
	case plies <= int(known.no):
		return false
	}
	mine := q.state.ToMove() == q.player
	yes := !mine
	for _, next := range p.children(q) {
		if p.stuck {
			return false
		}
		if p.forces(question[S]{next.state, q.player, q.draw}, plies-1) == mine {
			yes = mine
			break
		}
	}
	if p.stuck {
		return false
	}
	if yes {
		known.yes = uint8(plies)
	} else {
		known.no = uint8(plies)
	}
	p.known[q] = known
	return yes
}

// decided answers a question by the outcome.
func (q *question[S]) decided() (yes, known bool) {
	o := q.state.Outcome()
	return q.satisfied(Result(o.Value()), engine.First), o != engine.Ongoing
}

// satisfied reports whether a result, seen by a player, is what is asked for.
func (q *question[S]) satisfied(r Result, seenBy engine.Player) bool {
	if seenBy != q.player {
		r = -r
	}
	return r == Won || q.draw && r == Drawn
}

// A successor is a state with its promise to who moved.
type successor[S engine.State[S]] struct {
	state   S
	promise int
}

// children are the states after the actions of a question's, what promises most to
// the mover first.
func (p *Prover[S]) children(q question[S]) []successor[S] {
	sign := int(q.state.ToMove().Sign())
	legal := q.state.Legal(nil)
	all := make([]successor[S], len(legal))
	for i, a := range legal {
		next := successor[S]{state: q.state.Play(a)}
		if o := next.state.Outcome(); o != engine.Ongoing {
			next.promise = sign * int(o.Value()) * decisive
		} else if e, ok := any(&next.state).(engine.Evaluator); ok {
			next.promise = sign * e.Evaluate()
		}
		all[i] = next
	}
	slices.SortStableFunc(all, func(a, b successor[S]) int { return cmp.Compare(b.promise, a.promise) })
	before := p.nodes
	if p.nodes += len(all); p.nodes > p.Nodes {
		p.stuck = true
	} else if p.Stop != nil && p.nodes/askEvery != before/askEvery {
		p.stuck = p.Stop()
	}
	return all
}

// decisive is more than any evaluation.
const decisive = 1 << 30
