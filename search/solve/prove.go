package solve

import (
	"cmp"
	"slices"
	"unsafe"

	"dojo.example/engine"
)

// A Prover proves the values of positions by iterative deepening. At each depth it asks whether a
// player can force a win or a draw. It stops when it knows the answer or has generated as many
// positions as Nodes allows. Only one goroutine at a time may use a Prover.
type Prover[S engine.State[S]] struct {
	// Nodes limits the number of positions that one call of Line generates, and so limits the
	// memory; see ProverBytes.
	Nodes int

	// Probe looks up the value of a position, for example in a table. It returns false if it does
	// not know the value. Probe may be nil.
	Probe func(S) (Value, bool)

	// Stop is called every few hundred positions. The search ends if it returns true. Stop may be
	// nil.
	Stop func() bool

	known map[question[S]]answer
	nodes int
	stuck bool // whether the limit Nodes was reached or Stop returned true
	// loose is set if, in the current call of Line, Probe answered a question with a value that
	// needs more plies than the search had left. The number of plies of the result is then unknown.
	loose bool
}

// A question asks whether a player can force a win from a state. If draw is set, it asks whether
// the player can force at least a draw.
type question[S engine.State[S]] struct {
	state  S
	player engine.Player
	draw   bool
}

// An answer holds what is known about a question: the player can force the result within "yes"
// plies (0: unknown), and cannot force it within "no" plies.
type answer struct{ yes, no uint8 }

const (
	mostPlies = 200 // largest search depth
	askEvery  = 1 << 9
)

// ProverBytes estimates how many bytes of memory a Prover takes if its Nodes field is nodes.
func ProverBytes[S engine.State[S]](nodes int) int64 {
	var q question[S]
	const load = 3 // factor for a map that has just grown and still has its old storage
	return load * int64(nodes) * int64(unsafe.Sizeof(q)+unsafe.Sizeof(answer{}))
}

// Line returns the solved line of s: the values of s and of all its actions. It returns false if it
// cannot prove all of them.
func (p *Prover[S]) Line(s S) (Line, bool) {
	p.reset()
	return line(s, p.value)
}

// reset clears everything that the Prover knows from previous searches.
func (p *Prover[S]) reset() {
	p.known, p.nodes, p.stuck, p.loose = map[question[S]]answer{}, 0, false, false
}

// value proves the value of s, where the game must not be over. It returns false if it finds no
// proof.
func (p *Prover[S]) value(s S) (Value, bool) {
	if p.Probe != nil {
		if v, ok := p.Probe(s); ok {
			return v, true
		}
	}
	me := s.ToMove()
	for plies := 1; plies <= mostPlies && !p.stuck; plies++ {
		v := Value{engine.WonBy(me), plies}
		switch {
		case p.forces(question[S]{s, me, false}, plies):
		case p.forces(question[S]{s, 1 - me, false}, plies):
			v.Outcome = engine.WonBy(1 - me)
		case p.forces(question[S]{s, me, true}, plies) && p.forces(question[S]{s, 1 - me, true}, plies):
			return Value{Outcome: engine.Draw}, true
		default:
			continue
		}
		if p.loose {
			v.Plies = 0
		}
		return v, true
	}
	return Value{}, false
}

// forces reports whether the player of q can force the result that q asks for within the given
// number of plies. Once p.stuck is set, the result of forces means nothing.
func (p *Prover[S]) forces(q question[S], plies int) bool {
	if o := q.state.Outcome(); o != engine.Ongoing {
		return q.satisfied(o)
	}
	if p.Probe != nil {
		if v, ok := p.Probe(q.state); ok {
			yes := q.satisfied(v.Outcome)
			p.loose = p.loose || yes && v.Plies > plies
			return yes
		}
	}
	if plies == 0 {
		return false
	}
	known := p.known[q]
	switch {
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

// satisfied reports whether the question has the answer yes if the game ends with the outcome o.
func (q *question[S]) satisfied(o engine.Outcome) bool {
	return o == engine.WonBy(q.player) || q.draw && o == engine.Draw
}

// A successor is the state after an action. promise estimates how good the state is for the player
// who took this action.
type successor[S engine.State[S]] struct {
	state   S
	promise int
}

// children returns the successors of the question's state, the most promising first.
func (p *Prover[S]) children(q question[S]) []successor[S] {
	sign := int(q.state.ToMove().Sign())
	legal := q.state.Legal(nil)
	all := make([]successor[S], len(legal))
	for i, a := range legal {
		next := successor[S]{state: q.state.Play(a)}
		next.promise = sign * estimate(&next.state)
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

// estimate returns the static evaluation of a state for First, or 0 in a game without a static
// evaluation. For a finished game it returns a number that is larger than any evaluation, with the
// sign of the result.
func estimate[S engine.State[S]](s *S) int {
	if o := (*s).Outcome(); o != engine.Ongoing {
		return int(o.Value()) << 30
	}
	return engine.Estimate(s)
}
