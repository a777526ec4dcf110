package onitama

import (
	"math/bits"

	"dojo/engine"
	"dojo/engine/fivebyfive"
)

// The features of a position, for networks whose first layer sums columns: the
// men, the cards, and what a search would see first, all from the side of the player
// to move. The reasons:
//
//   - A man is one feature, by kind and cell: the value of a cell depends on both.
//   - A card is known by its id, and the mover's also by its slot, as actions
//     name the slot. The order of the other player's cards does not matter.
//   - The cells that a side's cards reach (as if it were its turn) depend on
//     men and cards at once, which a sum cannot combine: they are worth 127 Elo
//     besides men and cards. They are three groups, by what stands there:
//     nothing (a move), one of the other's men (a threat), or one of the side's
//     own (a guard, which could retake).
//   - Who can win with one action is two features of their own.
//   - The number of turns played matters only near the limit.
const (
	featMyStudents    = 0
	featMyMaster      = featMyStudents + cells
	featTheirStudents = featMyMaster + cells
	featTheirMaster   = featTheirStudents + cells
	featMyCards       = featTheirMaster + cells // the first, then the second
	featTheirCards    = featMyCards + 2*cards
	featCentre        = featTheirCards + cards
	featMyMoves       = featCentre + cards // to empty cells
	featMyTakes       = featMyMoves + cells
	featTheirMoves    = featMyTakes + cells
	featTheirTakes    = featTheirMoves + cells
	featMyGuards      = featTheirTakes + cells // own men on reached cells
	featTheirGuards   = featMyGuards + cells
	featMyWin         = featTheirGuards + cells
	featTheirWin      = featMyWin + 1
	featTurns         = featTheirWin + 1
	features          = featTurns + 6

	// Each side has at most five men and reaches each cell in one way only.
	activeFeatures = 2*5 + handSize + 2*cells + 2 + 1
)

// lateTurns are the ranges of turns played that have a feature.
var lateTurns = engine.Buckets{120, 160, 180, 190, 195, 198}

var turnBucket = lateTurns.Table(0, Turns)

var featureGroups = []engine.FeatureGroup{
	{Name: "my student", Each: cellNames},
	{Name: "my master", Each: cellNames},
	{Name: "their student", Each: cellNames},
	{Name: "their master", Each: cellNames},
	{Name: "my first card", Each: cardNames()},
	{Name: "my second card", Each: cardNames()},
	{Name: "their card", Each: cardNames()},
	{Name: "centre card", Each: cardNames()},
	{Name: "I can go to", Each: cellNames},
	{Name: "I can take on", Each: cellNames},
	{Name: "they could go to", Each: cellNames},
	{Name: "they could take on", Each: cellNames},
	{Name: "I guard", Each: cellNames},
	{Name: "they guard", Each: cellNames},
	{Name: "win at once:", Each: []string{"I can", "they could"}},
	{Name: "turns played", Each: lateTurns.Names()},
}

var cellNames = fivebyfive.Names(cellName)

func cardNames() (names []string) {
	for c := range deck {
		names = append(names, deck[c].name)
	}
	return names
}

// Features lists the active features; see engine.FeatureLister. Neighbouring
// groups share a word of bits.
func (s State) Features(dst []uint16) []uint16 {
	my, their := s.Masters()
	mine, theirs := s.covered()
	held := uint64(1)<<s.hand[0] | 1<<(cards+s.hand[1]) | 1<<(2*cards+s.hand[2]) | 1<<(2*cards+s.hand[3]) | 1<<(3*cards+s.hand[centre])
	empty := all &^ (s.Mine | s.Theirs)

	dst = engine.AppendFeatures(dst, featMyStudents, fivebyfive.Pair(s.Mine&^my, my))
	dst = engine.AppendFeatures(dst, featTheirStudents, fivebyfive.Pair(s.Theirs&^their, their))
	dst = engine.AppendFeatures(dst, featMyCards, held)
	dst = engine.AppendFeatures(dst, featMyMoves, fivebyfive.Pair(mine&empty, mine&s.Theirs))
	dst = engine.AppendFeatures(dst, featTheirMoves, fivebyfive.Pair(theirs&empty, theirs&s.Mine))
	last := fivebyfive.Pair(mine&s.Mine, theirs&s.Theirs)
	if mine&their != 0 || s.masterReaches(s.MyMaster, target, &reach, s.hand[0], s.hand[1])&^s.Mine != 0 {
		last |= 1 << (featMyWin - featMyGuards)
	}
	if theirs&my != 0 || s.masterReaches(s.TheirMaster, home, &back, s.hand[2], s.hand[3])&^s.Theirs != 0 {
		last |= 1 << (featTheirWin - featMyGuards)
	}
	if k := turnBucket[s.plies]; k >= 0 {
		last |= 1 << (featTurns - featMyGuards + int(k))
	}
	return engine.AppendFeatures(dst, featMyGuards, last)
}

// covered returns the cells that each side's cards reach, as if it were its turn,
// including those of its own men.
func (s *State) covered() (mine, theirs board) {
	a, b := &reach[s.hand[0]], &reach[s.hand[1]]
	for men := s.Mine; men != 0; men &= men - 1 {
		from := bits.TrailingZeros32(men)
		mine |= a[from] | b[from]
	}
	a, b = &back[s.hand[2]], &back[s.hand[3]]
	for men := s.Theirs; men != 0; men &= men - 1 {
		from := bits.TrailingZeros32(men)
		theirs |= a[from] | b[from]
	}
	return mine, theirs
}

// masterReaches returns the shrine as a board if one of two cards takes the master
// there, else an empty board.
func (s *State) masterReaches(master uint8, shrine int, table *[cards][cells]board, a, b card) board {
	if master == gone {
		return 0
	}
	return (table[a][master] | table[b][master]) & (1 << shrine)
}
