package fivebyfive

import "math/bits"

// Planes are the network's input, with some channels on each cell.
type Planes struct {
	To       []float32
	Channels int
}

// Fill writes a number on every cell.
func (p Planes) Fill(channel int, v float32) {
	for i := channel; i < Cells*p.Channels; i += p.Channels {
		p.To[i] = v
	}
}

// Mark writes 1 on the cells of a board.
func (p Planes) Mark(channel int, b Board) {
	for ; b != 0; b &= b - 1 {
		p.To[bits.TrailingZeros32(b)*p.Channels+channel] = 1
	}
}

// Men writes four channels from 0 on: my men but the master, my master, and the other
// player's.
func (p Planes) Men(s *Sides) {
	my, their := s.Masters()
	p.Mark(0, s.Mine&^my)
	p.Mark(1, my)
	p.Mark(2, s.Theirs&^their)
	p.Mark(3, their)
}

// Cards writes twelve channels. Card i, in the order of [Swapped], takes men to the cells
// reach(i, men), but not to those of wall. The channels are:
//
//	0-4   each card, by where it takes a man from the middle of the board
//	5-6   cells my men can move to, by card
//	7-8   cells the other's men could move to, by card
//	9     cells my master can move to
//	10    cells the other's master could move to
//	11    cells my men could move to with the fifth card
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
