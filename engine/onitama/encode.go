package onitama

import (
	"math/bits"

	"dojo/engine/fivebyfive"
)

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
	chCards = 4
	chReach = 9
	chHome  = 16
	chPlies = 18

	channels = 20
)

// Encode writes the input of the network; see engine.State.
func (s State) Encode(planes []float32) {
	clear(planes)
	p := fivebyfive.Planes{To: planes, Channels: channels}
	p.Men(&s.Sides)
	p.Cards(chCards, &s.Sides, 0, func(i int, men board) board {
		if i == 2 || i == 3 {
			return spread(men, &back[s.hand[i]])
		}
		return spread(men, &reach[s.hand[i]])
	})
	p.Mark(chHome, 1<<home)
	p.Mark(chHome+1, 1<<target)
	p.Fill(chPlies, float32(s.plies)/Turns)
	p.Fill(chPlies+1, 1)
}

// spread returns the cells to which any of the men can go.
func spread(men board, table *targets) (to board) {
	for ; men != 0; men &= men - 1 {
		to |= table[bits.TrailingZeros32(men)]
	}
	return to
}
