package oanquan

import "encoding/binary"

// A ring is the twelve counts side by side in two words, a byte each, so that
// stones are dropped into many fields by one addition.
type ring struct{ low, high uint64 }

// drops are the stones that a hand of 0 to 11 leaves behind a field, by
// direction (0 is −1) and hand.
var drops = func() (d [fields][2][fields]ring) {
	for f := range fields {
		for way := range 2 {
			var board [fields]uint8
			at := f
			for n := 1; n < fields; n++ {
				at = next(at, 2*way-1)
				board[at] = 1
				d[f][way][n] = ringOf(&board)
			}
		}
	}
	return d
}()

// after is the field behind the last stone, by field, direction and hand.
var after = func() (a [fields][2][fields]uint8) {
	for f := range fields {
		for n := range fields {
			a[f][0][n] = uint8((f + 2*fields - n - 1) % fields)
			a[f][1][n] = uint8((f + n + 1) % fields)
		}
	}
	return a
}()

// only has all bits of one field.
var only = func() (o [fields]ring) {
	for f := range fields {
		var board [fields]uint8
		board[f] = 0xff
		o[f] = ringOf(&board)
	}
	return o
}()

// lap is a stone in every field.
var lap = ring{0x0101010101010101, 0x01010101}

func ringOf(board *[fields]uint8) ring {
	return ring{binary.LittleEndian.Uint64(board[:8]), uint64(binary.LittleEndian.Uint32(board[8:]))}
}

func (r ring) store(board *[fields]uint8) {
	binary.LittleEndian.PutUint64(board[:8], r.low)
	binary.LittleEndian.PutUint32(board[8:], uint32(r.high))
}

// at is the count of a field. Which word holds it is nothing a processor could
// foresee: it is chosen without a branch.
func (r *ring) at(f int) int {
	word := r.low
	if f >= 8 {
		word = r.high
	}
	return int(uint8(word >> (8 * f & 63)))
}

// next is the field one step on.
func next(f, dir int) int { return (f + dir + fields) % fields }

// sow plays the turn of section 2 from a field, on the board, and returns the
// stones won.
func (s *State) sow(field, dir int) (won int) {
	r, field := relay(ringOf(&s.board), field, dir)
	r.store(&s.board)
	if field < 0 {
		return 0
	}
	return s.capture(field, dir)
}

// gain is what sow would win with r for the board, which is left as it is.
func (s *State) gain(r ring, field, dir int) (won int) {
	r, field = relay(r, field, dir)
	if field < 0 {
		return 0
	}
	after := *s
	r.store(&after.board)
	return after.capture(field, dir)
}

// relay sows hand after hand from a field, until the next hand would come from
// an empty field, which it returns with the board, or from a king's (A3): -1.
// It always ends: kings are never picked up, and every lap leaves a stone in
// each.
func relay(r ring, field, dir int) (_ ring, empty int) {
	way := (dir + 1) / 2
	for {
		hand := r.at(field)
		r.low &^= only[field].low
		r.high &^= only[field].high
		for ; hand >= fields; hand -= fields {
			r.low += lap.low
			r.high += lap.high
		}
		drop := &drops[field][way][hand]
		r.low += drop.low
		r.high += drop.high
		field = int(after[field][way][hand])
		if r.at(field) == 0 {
			return r, field
		}
		if king(field) {
			return r, -1
		}
	}
}

// capture takes what lies behind the empty field n, and on, over one empty
// field at a time, kings too (A5). After a capture there is no relay (A6).
func (s *State) capture(n, dir int) (won int) {
	for s.board[n] == 0 && !(s.opt.EmptyKingStops && king(n)) { // A2
		t := next(n, dir)
		if s.board[t] == 0 || s.young(t) {
			return won
		}
		won += int(s.board[t])
		s.board[t] = 0
		if king(t) {
			s.big[t/6] = false
		}
		n = next(t, dir)
	}
	return won
}

// young reports whether f is a king field that cannot be taken yet (A4).
func (s *State) young(f int) bool {
	return king(f) && s.big[f/6] && s.board[f] < s.opt.BigValue+s.opt.YoungKing && s.opt.YoungKing > 0
}
