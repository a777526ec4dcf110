package onitama

import (
	"bufio"
	"math/bits"
	"math/rand/v2"

	"dojo/engine"
)

// Sparse is Classic as a small network for tight clocks sees it. The input is
// a list of features, all 0 or 1 and few of them 1, so that a first layer is a
// sum of columns; cards are known by their id, and actions by card, vector and
// cell, so that an output means the same wherever the card is in the hand.
//
//	  0-99   my students, my master, the other's students, his master, by cell
//	100-147  my cards, the other's cards, the centre card, by id
//	148-197  cells that my men can go to, that the other's men could, by cell
var Sparse = engine.Rules[SparseState]{
	Spec: engine.Spec{
		Name:     "onitama-sparse",
		Version:  1,
		Actions:  firstPass + cards,
		Planes:   engine.Shape{C: sparseFeatures, H: 1, W: 1},
		MaxPlies: Turns,
	},
	Start: func(rng *rand.Rand) SparseState { return SparseState{start(rng)} },
	Parse: func(text string) (SparseState, error) {
		s, err := Parse(text)
		return SparseState{s}, err
	},
	Protocols: []engine.Protocol{{Name: "codingame", Reader: sparseCodinGame, Ask: ask, Answer: answer}},
}

// SparseState is a position with the input and the actions of Sparse.
type SparseState struct{ State }

const (
	sparseCards    = 4 * cells // behind the four groups of men
	sparseReach    = sparseCards + 3*cards
	sparseFeatures = sparseReach + 2*cells

	vectors   = 52 // of all cards together (rule 2)
	firstPass = vectors * cells
)

// The vectors of all cards in a row: where each card's begin, and each one's
// card, the cells it goes on, and the cells it starts from.
var (
	cardVectors [cards + 1]int
	vectorCard  [vectors]card
	vectorStep  [vectors]int
	vectorFrom  [vectors]board
)

func init() {
	n := 0
	for c := range deck {
		cardVectors[c] = n
		for _, v := range deck[c].vectors {
			vectorCard[n], vectorStep[n] = card(c), v.dy*side+v.dx
			for cell := range cells {
				if step(cell, v.dx, v.dy) != 0 {
					vectorFrom[n] |= 1 << cell
				}
			}
			n++
		}
	}
	cardVectors[cards] = n
	Sparse.Symmetries = []engine.Symmetry{sparseMirror()} // needs the tables
}

// Legal appends the legal actions by card, vector and cell, and passes last;
// see engine.State.
func (s SparseState) Legal(dst []engine.Action) []engine.Action {
	if s.outcome != engine.Ongoing {
		return dst
	}
	n := len(dst)
	low, high := min(s.hand[0], s.hand[1]), max(s.hand[0], s.hand[1])
	for _, c := range [2]card{low, high} {
		for v := cardVectors[c]; v < cardVectors[c+1]; v++ {
			blocked := s.mine >> max(0, vectorStep[v]) << max(0, -vectorStep[v])
			for from := s.mine & vectorFrom[v] &^ blocked; from != 0; from &= from - 1 {
				dst = append(dst, engine.Action(v*cells+bits.TrailingZeros32(from)))
			}
		}
	}
	if len(dst) == n {
		dst = append(dst, firstPass+engine.Action(low), firstPass+engine.Action(high))
	}
	return dst
}

// dense is the action of Classic that a is.
func (s SparseState) dense(a engine.Action) engine.Action {
	v, from := int(a)/cells, int(a)%cells
	c, to := card(a-firstPass), 0
	if a < firstPass {
		c, to = vectorCard[v], from+vectorStep[v]
	} else {
		from = 0
	}
	slot := 0
	if c != s.hand[0] {
		slot = 1
	}
	return action(from, slot, to)
}

// Play returns the state after a; see engine.State.
func (s SparseState) Play(a engine.Action) SparseState {
	return SparseState{s.State.Play(s.dense(a))}
}

// ActionString names an action; see State.ActionString.
func (s SparseState) ActionString(a engine.Action) string {
	return s.State.ActionString(s.dense(a))
}

// Encode writes the features; see engine.State.
func (s SparseState) Encode(planes []float32) {
	_ = planes[sparseFeatures-1]
	clear(planes)
	mark := func(from int, b board) {
		for ; b != 0; b &= b - 1 {
			planes[from+bits.TrailingZeros32(b)] = 1
		}
	}
	my, their := board(1)<<s.myMaster&all, board(1)<<s.theirMaster&all
	mark(0, s.mine&^my)
	mark(cells, my)
	mark(2*cells, s.theirs&^their)
	mark(3*cells, their)
	for i, c := range s.hand {
		planes[sparseCards+i/2*cards+int(c)] = 1
	}
	mine, theirs := s.covered()
	mark(sparseReach, mine&^s.mine)
	mark(sparseReach+cells, theirs&^s.theirs)
}

// sparseMirror is the board and every card mirrored left to right (rule 2).
func sparseMirror() engine.Symmetry {
	sym := engine.Symmetry{
		Name:    "mirror",
		Planes:  make([]int32, sparseFeatures),
		Actions: make([]engine.Action, firstPass+cards),
	}
	flip := view{mirror: true}.cell
	for f := range sym.Planes {
		switch base := f - f%cells; {
		case f < sparseCards:
			sym.Planes[f] = int32(base + flip(f-base))
		case f < sparseReach:
			base = f - (f-sparseCards)%cards
			sym.Planes[f] = int32(base) + int32(mirrorImage[f-base])
		default:
			base = f - (f-sparseReach)%cells
			sym.Planes[f] = int32(base + flip(f-base))
		}
	}
	for a := range sym.Actions {
		if a >= firstPass {
			sym.Actions[a] = firstPass + engine.Action(mirrorImage[a-firstPass])
			continue
		}
		v, from := a/cells, a%cells
		for w := cardVectors[mirrorImage[vectorCard[v]]]; ; w++ {
			if vectorFrom[w] == mirrored(vectorFrom[v]) && vectorStep[w] == flip(middle+vectorStep[v])-middle {
				sym.Actions[a] = engine.Action(w*cells + flip(from))
				break
			}
		}
	}
	return sym
}

// sparseCodinGame is the referee's protocol.
func sparseCodinGame(r *bufio.Reader) func() (engine.Position, error) {
	next := codinGame(r)
	return func() (engine.Position, error) {
		p, err := next()
		if err != nil {
			return nil, err
		}
		return engine.Forget(SparseState{p.State().(State)}), nil
	}
}
