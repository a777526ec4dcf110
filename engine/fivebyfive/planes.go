package fivebyfive

import "math/bits"

// Planes writes the network input of a position to the slice To, which holds Channels values per
// cell.
type Planes struct {
	To       []float32
	Channels int
}

// Fill sets a channel to v on every cell.
func (p Planes) Fill(channel int, v float32) {
	for i := channel; i < Cells*p.Channels; i += p.Channels {
		p.To[i] = v
	}
}

// Mark sets a channel to 1 on the cells of a board.
func (p Planes) Mark(channel int, b Board) {
	for ; b != 0; b &= b - 1 {
		p.To[bits.TrailingZeros32(b)*p.Channels+channel] = 1
	}
}

// Men writes channels 0 to 3: my men without the master, my master, the opponent's men without the
// master, and the opponent's master.
func (p Planes) Men(s *Sides) {
	my, their := s.Masters()
	p.Mark(0, s.Mine&^my)
	p.Mark(1, my)
	p.Mark(2, s.Theirs&^their)
	p.Mark(3, their)
}

// Cards writes twelve channels. The cards are in the order that [Swapped] describes. The function
// reach returns the cells that the men on a board can move to with card i. Cards excludes the cells
// in wall. The channels, counted from first, are:
//
//	0-4   each card, shown as the cells that it reaches from the middle of the board
//	5-6   cells that my men can move to, for each of my cards
//	7-8   cells that the opponent's men could move to, for each of the opponent's cards
//	9     cells that my master can move to
//	10    cells that the opponent's master could move to
//	11    cells that my men could move to with the fifth card
func (p Planes) Cards(first int, s *Sides, wall Board, reach func(i int, men Board) Board) {
	my, their := s.Masters()
	mine, theirs := s.Mine|wall, s.Theirs|wall
	for i := range 5 {
		p.Mark(first+i, reach(i, 1<<(Cells/2)))
	}
	for i := range 2 {
		p.Mark(first+5+i, reach(i, s.Mine)&^mine)
		p.Mark(first+7+i, reach(2+i, s.Theirs)&^theirs)
		p.Mark(first+9, reach(i, my)&^mine)
		p.Mark(first+10, reach(2+i, their)&^theirs)
	}
	p.Mark(first+11, reach(4, s.Mine)&^mine)
}
