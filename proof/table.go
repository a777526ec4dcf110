package proof

import "math/bits"

// A table keeps the numbers of positions by their keys. A key has two slots; the first
// keeps what took more work.
type table struct{ entries []entry }

// An entry is 16 bytes. packed has, from the lowest bit, pn and dn in 24 bits each, the
// plies in 8, and in 8 the number of bits of the work, the positions that were made for it.
type entry struct{ key, packed uint64 }

const mostPlies = 255 // of a proof that is kept

func (t *table) reset() { clear(t.entries) }

func (t *table) at(key uint64) []entry {
	i := key % (slots / 2) * 2
	return t.entries[i : i+2]
}

// find returns the numbers of a position, unless they are a proof that takes more plies
// than are left.
func (t *table) find(key uint64, left int) (n numbers, ok bool) {
	if t.entries == nil {
		return n, false
	}
	for _, e := range t.at(key) {
		if e.key == key {
			const mask = 1<<24 - 1
			n = numbers{uint32(e.packed & mask), uint32(e.packed >> 24 & mask), uint32(e.packed >> 48 & 255)}
			return n, n.pn > 0 || int(n.plies) <= left
		}
	}
	return n, false
}

// keep remembers the numbers of a position.
func (t *table) keep(key uint64, n numbers, work int) {
	if n.plies > mostPlies {
		return
	}
	if t.entries == nil {
		t.entries = make([]entry, slots)
	}
	effort := uint64(bits.Len(uint(work)))
	e := entry{key, uint64(n.pn) | uint64(n.dn)<<24 | uint64(n.plies)<<48 | effort<<56}
	two := t.at(key)
	switch {
	case two[0].key == key:
		two[0] = e
	case two[1].key == key || two[0].packed>>56 > effort:
		two[1] = e
	default:
		two[1], two[0] = two[0], e
	}
}
