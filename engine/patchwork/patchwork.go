// Package patchwork implements the board game Patchwork for two players. The numbers P1 to P15 in
// this package refer to rules.md. Turns do not alternate: the player who is behind in time moves.
package patchwork

import (
	_ "embed"
	"math/bits"
	"math/rand/v2"
	"slices"

	"dojo.example/engine"
)

// Texts with the rules for people, in English and Vietnamese.
var (
	//go:embed rules.md
	english string
	//go:embed rules.vi.md
	vietnamese string
)

const (
	start  = 5  // buttons of each player at the start (rule P5)
	finish = 53 // last square of the time board (rule P10)
	offers = 3
)

// These are the squares of the time board that pay income (rule P11) and the squares that have a
// special patch (rule P12).
var (
	incomes  = [...]int{5, 11, 17, 23, 29, 35, 41, 47, 53}
	specials = [...]int{20, 26, 32, 44, 50}
)

// Rules is the game without the option seven_by_seven.
var Rules = New("patchwork", false)

// Configured returns the game with the option seven_by_seven (rule P15).
func Configured(name string, set *engine.Settings) engine.Rules[State] {
	return New(name, set.Bool("seven_by_seven", false))
}

// New returns the game with or without the option seven_by_seven (rule P15).
func New(name string, sevenBySeven bool) engine.Rules[State] {
	return engine.Rules[State]{
		Spec: engine.Spec{
			Name:    name,
			Version: 2,
			MaxText: 160,
			Actions: cells * perCell,
			Planes:  engine.Shape{C: channels, H: side, W: side},
			// This limit follows from two facts: a token moves at most finish squares, and every
			// action except placing a special patch moves a token.
			MaxPlies: 2*finish + len(specials),
			MaxLegal: maxLegal(),

			Features:       feat.groups.Count(),
			ActiveFeatures: activeFeatures,
			ActionFeatures: actionFeatures,
			PerAction:      1,
		},
		English:    engine.ParseAbout(english),
		Vietnamese: engine.ParseAbout(vietnamese),
		Start:      func(rng *rand.Rand) State { return deal(rng, sevenBySeven) },
		Parse:      func(text string) (State, error) { return parse(text, sevenBySeven) },

		FeatureGroups: feat.groups,
	}.WithSymmetries(symmetries()...)
}

// State is a position. The arrays are indexed by seat: seat 0 is First and seat 1 is Second. In
// texts, the players are called 1 and 2.
type State struct {
	circle  [patches]uint8 // patches in the circle, in order, beginning after the token (rule P6)
	left    uint8          // number of patches in circle
	quilts  [2]quilt
	time    [2]uint8
	buttons [2]int16
	income  [2]uint8
	seat    uint8 // seat of the player to move
	pending bool  // whether the mover must place a special patch (rule P12)
	first   uint8 // player who finished first: 1 or 2; 0 if nobody has
	seven   uint8 // player who first filled a 7×7 block: 1 or 2; 0 if nobody has
	bySeven bool  // whether the option seven_by_seven is set (rule P15)
}

// deal shuffles the circle of patches. Nothing else in the game depends on chance (rule P5).
func deal(rng *rand.Rand, sevenBySeven bool) State {
	order := make([]uint8, patches)
	for i, p := range rng.Perm(patches) {
		order[i] = uint8(p)
	}
	return begin(order, sevenBySeven)
}

// begin returns the start position for a circle with the given order of patches. The token is after
// patch A (rule P6).
func begin(order []uint8, sevenBySeven bool) State {
	s := State{left: patches, buttons: [2]int16{start, start}, bySeven: sevenBySeven}
	for i, p := range order {
		if p == 0 {
			n := copy(s.circle[:], order[i+1:])
			copy(s.circle[n:], order[:i+1])
		}
	}
	return s
}

// An action has the number cell*26 + plane. Planes 0 to 23 stand for one of three offers in one of
// eight orientations; the top left corner of the patch is on the cell. There are two more planes:
// one for placing the special patch, and one for advancing, which uses only cell 0.
const (
	planeSpecial = offers * orientations // as if the special patch were a fourth offer
	planeAdvance = planeSpecial + 1
	perCell      = planeAdvance + 1
)

// onOffer returns the patches that the mover may buy if he has enough buttons.
func (s *State) onOffer() []uint8 { return s.circle[:min(offers, s.left)] }

// placed returns the patch that the actions of a plane place, and its orientation.
func (s *State) placed(plane int) (patch, orientation int) {
	if plane == planeSpecial {
		return special, 0
	}
	return int(s.circle[plane/orientations]), plane % orientations
}

// ToMove returns the player who acts next; see engine.State.
func (s State) ToMove() engine.Player { return engine.Player(s.seat) }

// Outcome returns the result of the game by rules P13 and P14; see engine.State. There are no
// draws.
func (s State) Outcome() engine.Outcome {
	if s.time != [2]uint8{finish, finish} || s.pending {
		return engine.Ongoing
	}
	if a, b := s.Score(); a != b {
		return engine.OutcomeOf(a - b)
	}
	return engine.WonBy(engine.Player(s.first - 1))
}

// Score returns the final scores of rule P13: buttons minus two for every empty square, plus the
// bonus of rule P15; see engine.Scorer.
func (s State) Score() (first, second int) {
	var score [2]int
	for p := range score {
		score[p] = int(s.buttons[p]) - 2*(cells-s.quilts[p].count())
		if int(s.seven) == p+1 {
			score[p] += 7
		}
	}
	return score[0], score[1]
}

// Heuristic returns First's lead in points, including the future income of both players; see
// engine.Heuristic.
func (s State) Heuristic() int {
	first, second := s.Score()
	return first + s.toCome(0) - second - s.toCome(1)
}

// toCome returns how much income player p will still get from the present quilt.
func (s *State) toCome(p uint8) int {
	return int(s.income[p]) * int(incomesTo[finish]-incomesTo[s.time[p]])
}

// incomesTo[i] is the number of squares from 0 to i that pay income. specialsTo[i] is the number of
// squares from 0 to i that have a special patch at the start of the game.
var incomesTo, specialsTo = counted(incomes[:]), counted(specials[:])

func counted(squares []int) (to [finish + 1]uint8) {
	for _, square := range squares {
		for at := square; at <= finish; at++ {
			to[at]++
		}
	}
	return to
}

// maxLegal returns the maximum number of legal actions. The number is largest if the quilt is empty
// and the three patches with the most placements are on offer.
func maxLegal() int {
	var places []int
	for i := range pieces {
		n := 0
		for _, o := range pieces[i].distinct {
			n += pieces[i].shapes[o].fits(whole).count()
		}
		places = append(places, n)
	}
	slices.Sort(places)
	n := 1 // 1 for the advance
	for _, more := range places[len(places)-offers:] {
		n += more
	}
	return n
}

// Legal appends the legal actions; see engine.State.
func (s State) Legal(dst []engine.Action) []engine.Action {
	if s.Outcome() != engine.Ongoing {
		return dst
	}
	free := whole.without(s.quilts[s.seat])
	if s.pending { // rule P12: no other action is legal
		for free != (quilt{}) {
			dst = append(dst, engine.Action(free.pop()*perCell+planeSpecial))
		}
		return dst
	}
	// The loop finds, for each plane, the cells where its patch fits, and stores the planes of each
	// cell as bits in planes. The actions are then listed cell by cell.
	var planes [cells]uint32
	var any quilt
	for k, patch := range s.onOffer() {
		p := &pieces[patch]
		if int(s.buttons[s.seat]) < p.cost { // rule P8
			continue
		}
		for _, o := range p.distinct { // each distinct orientation (rule P4)
			fits := p.shapes[o].fits(free)
			any = any.or(fits)
			plane := uint32(1) << (k*orientations + o)
			for set := fits.lo; set != 0; set &= set - 1 {
				planes[bits.TrailingZeros64(set)] |= plane
			}
			for set := fits.hi; set != 0; set &= set - 1 {
				planes[64+bits.TrailingZeros64(set)] |= plane
			}
		}
	}
	place := func(cell int) {
		for set := planes[cell]; set != 0; set &= set - 1 {
			dst = append(dst, engine.Action(cell*perCell+bits.TrailingZeros32(set)))
		}
	}
	place(0)
	dst = append(dst, planeAdvance)
	for any = any.without(bit(0)); any != (quilt{}); {
		place(any.pop())
	}
	return dst
}

// Play returns the state after action a; see engine.State.
func (s State) Play(a engine.Action) State {
	cell, plane := int(a)/perCell, int(a)%perCell
	me := s.seat
	switch plane {
	case planeSpecial:
		s.place(bit(cell))
		s.pending = false
		s.pass()
		return s
	case planeAdvance: // rules P9 and P10
		to := min(s.time[1-me]+1, finish)
		s.buttons[me] += int16(to - s.time[me])
		s.move(to)
	default: // rule P8
		k := plane / orientations
		p := &pieces[s.circle[k]]
		s.buttons[me] -= int16(p.cost)
		s.income[me] += uint8(p.income)
		s.place(p.shapes[plane%orientations].mask.up(cell))
		s.take(k)
		s.move(min(s.time[me]+uint8(p.time), finish))
	}
	if !s.pending {
		s.pass()
	}
	return s
}

// place sews a patch onto the given cells of the mover's quilt.
func (s *State) place(cells quilt) {
	s.quilts[s.seat] = s.quilts[s.seat].or(cells)
	if s.bySeven && s.seven == 0 && s.quilts[s.seat].block() { // rule P15
		s.seven = s.seat + 1
	}
}

// take removes patch k from the circle, counted from the token. The token moves to the place of
// this patch (rule P6).
func (s *State) take(k int) {
	var circle [patches]uint8
	n := copy(circle[:], s.circle[k+1:s.left])
	copy(circle[n:], s.circle[:k])
	s.circle = circle
	s.left--
}

// move advances the mover's token to a square. On the way, the mover gets income (rule P11) and
// perhaps a special patch (rule P12).
func (s *State) move(to uint8) {
	me, from := s.seat, s.time[s.seat]
	s.time[me] = to
	s.buttons[me] += int16(s.income[me]) * int16(incomesTo[to]-incomesTo[from])
	if to == finish && s.first == 0 {
		s.first = me + 1
	}
	ahead := max(from, s.time[1-me])
	s.pending = specialsTo[to] > specialsTo[min(ahead, to)] && s.quilts[me] != whole
}

// pass decides who moves next (rule P7). If both tokens are on the same square, the same player
// moves again.
func (s *State) pass() {
	if s.time[s.seat] > s.time[1-s.seat] {
		s.seat = 1 - s.seat
	}
}
