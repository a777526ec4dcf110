package ultimate

import (
	"math/bits"

	"dojo.example/engine"
)

// A playing is a position during a playout. Its small boards have words of their own, so a ply
// changes only a few bytes.
type playing struct {
	stones [2][boards]uint16 // stones of each player in each small board
	won    [2]uint16         // small boards that each player has won
	closed uint16
	next   uint8
	random uint64 // state of the generator; see below
}

// below returns a random number from 0 to n-1, where n is small. It advances a generator of the
// kind SplitMix64 (Steele, Lea and Flood 2014).
func (p *playing) below(n int) int {
	p.random += 0x9e3779b97f4a7c15
	z := (p.random ^ p.random>>30) * 0xbf58476d1ce4e5b9
	return int((z ^ z>>27) >> 32 * uint64(n) >> 32)
}

// nth lists the cells of each set of cells.
var nth = func() (list [full + 1][9]uint8) {
	for set := range list {
		n := 0
		for c := range 9 {
			if set>>c&1 != 0 {
				list[set][n] = uint8(c)
				n++
			}
		}
	}
	return list
}()

// Playout plays random actions to the end of the game; see engine.Playouter.
func (s State) Playout(seed uint64) engine.Outcome {
	p := playing{closed: s.closed, next: s.next, random: seed}
	me := s.mover
	p.won[me], p.won[1-me] = s.myBoards, s.theirBoards
	for b := range boards {
		p.stones[me][b], p.stones[1-me][b] = s.mine.board(b), s.theirs.board(b)
	}
	if o := s.Outcome(); o != engine.Ongoing {
		return o
	}
	for !p.play(me & 1) {
		me = 1 - me
	}
	if isLine[p.won[me&1]] {
		return engine.WonBy(me)
	}
	return engine.OutcomeOf(bits.OnesCount16(p.won[engine.First]) - bits.OnesCount16(p.won[engine.Second]))
}

// play plays a random action of a player and reports whether the game is over.
func (p *playing) play(me engine.Player) (over bool) {
	b, free := int(p.next), uint16(0)
	if p.next == anywhere {
		b = p.board()
	}
	free = full &^ (p.stones[0][b] | p.stones[1][b])
	c := nth[free&full][p.below(bits.OnesCount16(free))]
	p.stones[me][b] |= 1 << c
	p.next = c
	if isLine[p.stones[me][b]&full] {
		p.won[me] |= 1 << b
		p.closed |= 1 << b
		if isLine[p.won[me]&full] {
			return true
		}
	} else if free&(free-1) == 0 {
		p.closed |= 1 << b
	}
	if p.closed>>c&1 != 0 {
		p.next = anywhere
	}
	return p.closed == full
}

// board chooses an open small board at random. A board's probability is proportional to its number
// of empty cells, so all legal actions have the same probability.
func (p *playing) board() int {
	total := 0
	var upTo [boards]int // number of empty cells in this board and the boards before it
	for b := range boards {
		if p.closed>>b&1 == 0 {
			total += 9 - bits.OnesCount16(p.stones[0][b]|p.stones[1][b])
		}
		upTo[b] = total
	}
	k, b := p.below(total), 0
	for upTo[b] <= k {
		b++
	}
	return b
}
