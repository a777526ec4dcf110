package onitama

import "math/bits"

// The channels of the network's input, from the side of the player to move, with row
// 0 nearest to him. A card is shown by its moves and never by its id, so that the
// network can play with cards that it has not seen.
//
//	0     my students                   9-10   cells my men can move to, by card
//	1     my master                    11-12   cells the other's men could move to, by card
//	2     the other's students         13      cells my master can move to
//	3     the other's master           14      cells the other's master could move to
//	4-5   my cards, by slot            15      cells my men could move to with the centre card
//	6-7   the other's cards, by slot   16-17   my shrine, the other's
//	8     the centre card              18      plies/200 on every cell
//	                                   19      1 on every cell
//
// A card's channel marks where it takes a man from the middle of the board:
// mine and the centre card as I use them, the other's as the other does.
const (
	chMyStudents    = 0
	chMyMaster      = 1
	chTheirStudents = 2
	chTheirMaster   = 3
	chCards         = 4
	chMyReach       = 9
	chTheirReach    = 11
	chMyMasterTo    = 13
	chTheirMasterTo = 14
	chCentreReach   = 15
	chMyShrine      = 16
	chTheirShrine   = 17
	chPlies         = 18
	chOnes          = 19
	channels        = 20
)

// Encode writes the input of the network; see engine.State.
func (s State) Encode(planes []float32) {
	_ = planes[cells*channels-1]
	clear(planes)
	plies := float32(s.plies) / Turns
	for i := 0; i < cells*channels; i += channels {
		planes[i+chPlies], planes[i+chOnes] = plies, 1
	}
	mark := func(channel int, b board) {
		for ; b != 0; b &= b - 1 {
			planes[bits.TrailingZeros32(b)*channels+channel] = 1
		}
	}
	my, their := s.Masters()
	mark(chMyStudents, s.Mine&^my)
	mark(chMyMaster, my)
	mark(chTheirStudents, s.Theirs&^their)
	mark(chTheirMaster, their)

	for slot := range 2 {
		mine, theirs := &reach[s.hand[slot]], &back[s.hand[2+slot]]
		mark(chCards+slot, mine[middle])
		mark(chCards+2+slot, theirs[middle])
		mark(chMyReach+slot, spread(s.Mine, mine)&^s.Mine)
		mark(chTheirReach+slot, spread(s.Theirs, theirs)&^s.Theirs)
		mark(chMyMasterTo, spread(my, mine)&^s.Mine)
		mark(chTheirMasterTo, spread(their, theirs)&^s.Theirs)
	}
	next := &reach[s.hand[centre]]
	mark(chCards+centre, next[middle])
	mark(chCentreReach, spread(s.Mine, next)&^s.Mine)
	mark(chMyShrine, 1<<home)
	mark(chTheirShrine, 1<<target)
}

// spread returns the cells to which any of the men can go.
func spread(men board, table *[cells]board) (to board) {
	for ; men != 0; men &= men - 1 {
		to |= table[bits.TrailingZeros32(men)]
	}
	return to
}
