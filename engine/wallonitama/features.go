package wallonitama

import (
	"fmt"
	"math/bits"

	"dojo/engine"
	"dojo/engine/fivebyfive"
)

// The features of a position, for networks whose first layer sums columns.
// Everything is from the side of the player to move. The reasons:
//
//   - A man is one feature, by kind and cell, and so is the wall.
//   - A card can be any pattern. Each of its steps is a feature, by columns and
//     rows from the man, which covers the whole card wherever its circle lies.
//     Steps are listed by slot, as actions name the slot, so that those of one
//     card belong together.
//   - Where each card takes the men now depends on men, wall and card at once,
//     which a sum cannot combine.
//   - So do the men under attack, and those that their side guards: it could
//     retake on their cell.
//   - Who can win with one pawn move is two features of their own. When the
//     wall is due, cards and reached cells are those of the next turn.
//   - Turns left matter most near the end, where the draw is close.
const (
	featMySoldiers    = 0
	featMyGeneral     = featMySoldiers + cells
	featTheirSoldiers = featMyGeneral + cells
	featTheirGeneral  = featTheirSoldiers + cells
	featWall          = featTheirGeneral + cells
	featSteps         = featWall + cells       // five cards: mine, the other's as the other uses them, the side card as I would
	featReach         = featSteps + 5*perSlot  // four cards: cells without the wall or a man of the card's owner
	featAttacked      = featReach + 4*cells    // my men, the other's
	featGuarded       = featAttacked + 2*cells // my men, the other's
	featWin           = featGuarded + 2*cells  // I can, the other could
	featWalling       = featWin + 2            // the wall is due
	featLeft          = featWalling + 1        // turns left
	features          = featLeft + 10

	// With m men on the board, 24 at most, m + 1 cells hold a man or the wall,
	// five cards have 24 steps each, the two cards of a side reach 24 cells
	// each without its men, and m men can be attacked and guarded:
	// (m + 1) + 5*24 + (4*24 - 2*m) + 2*m, and three more.
	activeFeatures = (24 + 1) + 5*24 + 4*24 + 2 + 1 + 1
)

// turnsLeft are the ranges of turns left.
var turnsLeft = engine.Buckets{1, 2, 3, 4, 5, 7, 10, 15, 23, 33}

var leftBucket = turnsLeft.Table(0, maxTurns)

var featureGroups = []engine.FeatureGroup{
	{Name: "my soldier", Each: cellNames},
	{Name: "my general", Each: cellNames},
	{Name: "their soldier", Each: cellNames},
	{Name: "their general", Each: cellNames},
	{Name: "wall", Each: cellNames},
	{Name: "my first card", Each: stepNames()},
	{Name: "my second card", Each: stepNames()},
	{Name: "their first card", Each: stepNames()},
	{Name: "their second card", Each: stepNames()},
	{Name: "side card", Each: stepNames()},
	{Name: "my first card reaches", Each: cellNames},
	{Name: "my second card reaches", Each: cellNames},
	{Name: "their first card reaches", Each: cellNames},
	{Name: "their second card reaches", Each: cellNames},
	{Name: "they attack", Each: cellNames},
	{Name: "I attack", Each: cellNames},
	{Name: "I guard", Each: cellNames},
	{Name: "they guard", Each: cellNames},
	{Name: "win at once:", Each: []string{"I can", "they could"}},
	{Name: "due:", Each: []string{"wall"}},
	{Name: "turns left", Each: turnsLeft.Names()},
}

// The indices of the first groups of those that exist for each card.
const (
	groupCards = 5
	groupReach = 10
)

var cellNames = fivebyfive.Names(cellName)

// stepNames are columns to the right and rows forward: "(-1,2)".
func stepNames() (names []string) {
	for d := range perSlot {
		names = append(names, fmt.Sprintf("(%d,%d)", d%reachSide-4, 4-d/reachSide))
	}
	return names
}

// A shift moves the men of a board by one step. Only those of from stay on the board.
type shift struct {
	from board
	by   int8 // bits, to the left
}

// shifts are the steps of up to four columns and rows either way, as in
// actions: step (dx, dy) is (dy+4)*9 + dx+4.
var shifts = func() (all [perSlot]shift) {
	for d := range all {
		dx, dy := d%reachSide-4, d/reachSide-4
		for cell := range cells {
			if x, y := cell%side+dx, cell/side+dy; x >= 0 && x < side && y >= 0 && y < side {
				all[d].from |= 1 << cell
			}
		}
		all[d].by = int8(dy*side + dx)
	}
	return all
}()

// wide is a cell's number on a board of nine columns: the step from one cell
// to another is wide[to] - wide[from] + perSlot/2.
var wide = func() (all [cells]int) {
	for cell := range all {
		all[cell] = cell/side*reachSide + cell%side
	}
	return all
}()

// appendSteps appends the steps of a card as features. It also returns the cells to
// which they take any of the men.
func (c card) appendSteps(dst []uint16, first int, men board) ([]uint16, board) {
	var to board
	centre := perSlot/2 - wide[c.circle]
	for crosses := c.crosses; crosses != 0; crosses &= crosses - 1 {
		step := centre + wide[bits.TrailingZeros32(crosses)]
		dst = append(dst, uint16(first+step))
		by := &shifts[step]
		to |= bits.RotateLeft32(men&by.from, int(by.by)) // shifts either way; no bit wraps around
	}
	return dst, to
}

// Features lists the active features; see engine.FeatureLister. Neighbouring
// groups share a word of bits.
func (s State) Features(dst []uint16) []uint16 {
	my, their := s.Masters()
	dst = engine.AppendFeatures(dst, featMySoldiers, fivebyfive.Pair(s.Mine&^my, my))
	dst = engine.AppendFeatures(dst, featTheirSoldiers, fivebyfive.Pair(s.Theirs&^their, their))
	dst = append(dst, featWall+uint16(s.wall))
	seen := [5]card{s.cards[0], s.cards[1], s.cards[2].turned(), s.cards[3].turned(), s.cards[sideway]}
	men := [5]board{s.Mine, s.Mine, s.Theirs, s.Theirs, 0}
	var to [5]board
	for i, c := range seen {
		dst, to[i] = c.appendSteps(dst, featSteps+i*perSlot, men[i])
	}
	mine, theirs := to[0]|to[1], to[2]|to[3]
	free, open := full&^(s.Mine|1<<s.wall), full&^(s.Theirs|1<<s.wall)
	dst = engine.AppendFeatures(dst, featReach, fivebyfive.Pair(to[0]&free, to[1]&free))
	dst = engine.AppendFeatures(dst, featReach+2*cells, fivebyfive.Pair(to[2]&open, to[3]&open))
	dst = engine.AppendFeatures(dst, featAttacked, fivebyfive.Pair(theirs&s.Mine, mine&s.Theirs))

	last := fivebyfive.Pair(mine&s.Mine, theirs&s.Theirs)
	if mine&their != 0 || reaches(seen[0], seen[1], s.MyMaster, target)&^s.Mine != 0 {
		last |= 1 << (featWin - featGuarded)
	}
	if theirs&my != 0 || reaches(seen[2], seen[3], s.TheirMaster, base)&^s.Theirs != 0 {
		last |= 1 << (featWin + 1 - featGuarded)
	}
	if s.walling {
		last |= 1 << (featWalling - featGuarded)
	}
	if k := leftBucket[s.left]; k >= 0 {
		last |= 1 << (featLeft - featGuarded + int(k))
	}
	return engine.AppendFeatures(dst, featGuarded, last)
}

// reaches returns the base as a board if one of two cards takes the general there,
// else an empty board.
func reaches(a, b card, general uint8, base int) board {
	if general == gone {
		return 0
	}
	return (a.from(int(general)) | b.from(int(general))) & (1 << base)
}

// viewFeature returns where a view has feature i of a group; see engine.PermuteFeatures.
func viewFeature(v fivebyfive.View, group, i int) (otherGroup, j int) {
	switch len(featureGroups[group].Each) {
	case cells:
		i = v.Cell(i)
	case perSlot:
		i = viewStep(v, i)
	}
	return v.Card(group, groupCards, groupReach), i
}
