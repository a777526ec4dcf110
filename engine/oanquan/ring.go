package oanquan

import "encoding/binary"

// ring holds the numbers of stones in the twelve fields in one word, with five bits per field. It
// can sow all stones of a field with a single addition. Field 0 is in the lowest bits:
//
//	bit 59         55       9      5 4      0
//	    | field 11 |  ...   | field 1 | field 0 |
//
// Stones are sown towards higher fields. To sow in the opposite direction, mirror the ring: field f
// becomes field 12 − f, and field 0 stays.
//
// Five bits hold up to 31 stones. For the few positions with more stones in a field, the code sows
// stone by stone on the board instead. If a field overflows during sowing, its 32 stones become one
// stone of the next field. The code notices this, because the total number of stones is then too
// small.
//
// During sowing, the four bits above field 11 hold the number of the field whose stones are sown
// next.
type ring uint64

const (
	width           = 5
	capacity        = 1<<width - 1
	ringBits        = fields * width
	inside     ring = 1<<ringBits - 1
	lap             = inside / capacity                          // one stone in every field
	evenLap    ring = inside / (1<<(2*width) - 1)                // one stone in fields 0, 2, 4, …
	folk            = inside &^ (capacity | capacity<<(6*width)) // all bits of the folk fields
	kingStones ring = 1 | 1<<(6*width)
)

// Adding hands[f][n] to a ring whose top bits are f sows the n stones of field f: field f loses its
// stones, the next n fields gain one each, and the top bits change to the field after the last one
// that gained a stone. The entry is 0 if n is 0 or f is a king field, because sowing then ends
// (question A3). If field 11 has overflowed, the top bits may not be the number of a field; adding
// the entry then sets them to a king field.
var hands = func() (d [16][capacity + 1]ring) {
	for f := range ring(len(d)) {
		for n := range ring(capacity + 1) {
			switch {
			case f >= fields:
				d[f][n] = -f << ringBits
			case n > 0 && f%6 != 0:
				d[f][n] = (f+n+1)%fields<<ringBits - f<<ringBits - n<<(width*f)
				for i := range n {
					d[f][n] += 1 << (width * ((f + 1 + i) % fields))
				}
			}
		}
	}
	return d
}()

// ringOf packs a board into a ring. fits is false if a field has too many stones for five bits.
func ringOf(board *[fields]uint8) (r ring, fits bool) {
	low, high := binary.LittleEndian.Uint64(board[:8]), uint64(binary.LittleEndian.Uint32(board[8:]))
	fits = (low|high)&^(0x0101010101010101*capacity) == 0
	return ring(squeeze(low) | squeeze(high)<<(8*width)), fits
}

// squeeze packs the low five bits of each of eight bytes into 40 adjacent bits. It first joins
// pairs of bytes, then pairs of pairs, then both halves.
func squeeze(x uint64) uint64 {
	x = x&0x001f001f001f001f | x>>3&0x03e003e003e003e0
	x = x&0x000003ff000003ff | x>>6&0x000ffc00000ffc00
	return x&0xfffff | x>>12&0xfffff00000
}

// turned rotates the ring down by the given number of bits. The field that begins at that bit
// becomes field 0.
func (r ring) turned(at ring) ring { return r.rotated(at) & inside }

// rotated rotates like turned, but does not clear the bits above the fields.
func (r ring) rotated(at ring) ring { return r>>(at&63) | r<<((ringBits-at)&63) }

// mirrored returns the ring turned over: field f becomes field 12 − f.
func (r ring) mirrored() ring {
	const ones, twos = inside / (1<<(2*width) - 1) * capacity, inside / (1<<(4*width) - 1) * (1<<(2*width) - 1)
	r = r&ones<<width | r>>width&ones
	r = r&twos<<(2*width) | r>>(2*width)&twos
	r = r<<(8*width)&inside | r&(1<<(8*width)-1<<(4*width)) | r>>(8*width) // exchange the first four and the last four fields
	return r.turned(ringBits - width)
}

// sum returns the number of stones in the ring.
func (r ring) sum() int { return sumOf(r, 0) }

// occupied returns a ring with one stone in each field that is not empty.
func (r ring) occupied() ring {
	some := r | r>>1
	return (some | some>>2 | r>>4) & lap
}

// at returns the ring with the given field in its top bits: the field to sow from.
func (r ring) at(field int) ring { return r | ring(field)<<ringBits }

// goesOn returns 1 if the field in the top bits has stones and is not a king field, which means
// that the sowing continues. Otherwise it returns 0.
func (r ring) goesOn() uint8 {
	return uint8((r&folk>>(r>>ringBits*width&63)&capacity + capacity) >> width)
}

// hand sows the stones of the field in the top bits. It changes nothing if the sowing has ended.
func (r ring) hand() ring {
	f := r >> ringBits
	return r + hands[f][r>>(f*width&63)&capacity]
}

// capture returns what the player captures at the end of a sowing: the number of stones, and a ring
// that holds them. The ring is rotated so that the field where the sowing ended (the end field) is
// field 0. The player captures the first, third, fifth, … field after the end field. Capturing
// stops at the first of these fields that is empty or has a stone in young; this field is not
// captured. It also stops at the end field or the second, fourth, … field after it, if that field
// has stones or has a stone in the ring stops (questions A2, A4, A5).
func (r ring) capture(stops, young ring) (won int, taken ring) {
	at := r >> ringBits * width
	r &= inside
	stones := r.occupied()
	between := evenLap << (at & 1 * width) // the end field and every second field after it
	line := ((stones|stops)&between | stones&^young&^between).rotated(at)
	line ^= evenLap<<width | 1<<ringBits     // now a 1 ends the capturing, so only the lowest 1 matters
	taken = r.rotated(at) & (line&-line - 1) // holds only captured stones, because the fields between them are empty
	return int(taken>>width*evenLap>>(10*width)) & (1<<(2*width) - 1), taken
}

// without returns the ring without the captured stones. The ring taken holds these stones, rotated
// as in the result of capture.
func (r ring) without(taken ring) ring {
	return r&inside - taken.turned(ringBits-r>>ringBits*width)
}

// sumOf returns the number of stones in two rings.
func sumOf(a, b ring) int {
	const pairs = evenLap * capacity
	return int((a&pairs+b&pairs+a>>width&pairs+b>>width&pairs)*evenLap>>(10*width)) & (1<<(2*width) - 1)
}
