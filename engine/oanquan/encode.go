package oanquan

import "dojo.example/engine"

// These are the channels of the network input. The ring of fields is rotated so that the mover's
// folk fields are 1 to 5. The ring is laid out in two rows of six cells; the numbers are fields:
//
//	0  1  2  3  4  5
//	11 10 9  8  7  6
const (
	chStones   = 0  // number of stones / 10
	chCount    = 1  // six channels, one for each count: 0, 1, 2, 3, 4, more
	chKing     = 7  // 1 on king fields
	chMine     = 8  // 1 on the mover's folk fields
	chBig      = 9  // 1 on fields with a big stone
	chGain     = 10 // two channels: stones the mover wins from this field in each direction, / 10
	chTheir    = 12 // two channels: the same for the opponent, if it were the opponent's turn
	chMyScore  = 14 // stones won by the mover / 35, on every cell
	chTheirs   = 15 // stones won by the opponent / 35, on every cell
	chMyDebt   = 16 // stones borrowed by the mover / 35, on every cell
	chTheyOwe  = 17 // stones borrowed by the opponent / 35, on every cell
	chAhead    = 18 // the mover's lead in the current score / 35, on every cell
	chBehind   = 19 // the opponent's lead in the current score / 35, on every cell
	chPlies    = 20 // plies played / MaxPlies, on every cell
	chOnes     = 21 // 1 on every cell, to show the edge of the board
	chBigValue = 22 // value of a big stone / 10, on every cell
	channels   = 23
)

// cell returns the cell of the two-row layout that shows field f of the rotated ring.
func cell(f int) int {
	if f < fields/2 {
		return f
	}
	return fields/2 + fields - 1 - f
}

// Encode writes the network input; see engine.State.
func (s State) Encode(planes []float32) {
	_ = planes[fields*channels-1]
	clear(planes)
	var plies float32
	if s.opt.MaxPlies > 0 {
		plies = float32(s.plies) / float32(s.opt.MaxPlies)
	}
	first, second := s.Score()
	margin := float32(first-second) * s.ToMove().Sign() / 35
	won := s.wins(2)
	for f := range fields {
		at := (f + 6*int(s.seat)) % fields // where field f of the rotated ring is on the board
		n := s.board[at]
		p := planes[cell(f)*channels:][:channels]
		p[chStones] = float32(n) / 10
		p[chCount+min(n, 5)] = 1
		mine, theirs := float32(s.scores[s.seat])/35, float32(s.scores[1-s.seat])/35
		p[chMyScore], p[chMyDebt] = max(0, mine), max(0, -mine)
		p[chTheirs], p[chTheyOwe] = max(0, theirs), max(0, -theirs)
		p[chAhead], p[chBehind] = max(0, margin), max(0, -margin)
		p[chPlies], p[chOnes] = plies, 1
		p[chBigValue] = float32(s.opt.BigValue) / 10
		if king(f) {
			p[chKing] = 1
			if s.big[at/6] {
				p[chBig] = 1
			}
			continue
		}
		ch := chTheir
		if f < 6 {
			p[chMine], ch = 1, chGain
		}
		if n > 0 {
			i := 2 * (f - 1 - f/6) // index of the field's first action in won
			p[ch], p[ch+1] = float32(won[i])/10, float32(won[i+1])/10
		}
	}
}

// mirror is the symmetry that turns the ring over. Field f becomes field 6−f, counted around the
// ring, and the two directions are exchanged.
var mirror = engine.Relabelling{
	Name: "mirror",
	Element: func(at, channel int) (int, int) {
		if channel >= chGain && channel < chMyScore {
			channel ^= 1 // exchange the directions; this works because chGain and chTheir are even
		}
		return cell((6 - cell(at) + fields) % fields), channel // cell is its own inverse
	},
	Action:  func(a int) int { return 2*side - 1 - a },
	Feature: mirrored,
}
