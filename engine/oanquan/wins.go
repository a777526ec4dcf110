package oanquan

// sowings are relays that are played together. Their hands take turns, so that
// the processor works at many at once, and there are few branches to guess.
type sowings struct {
	rings [32]ring
	names [32]uint8 // given by who adds them
	queue [32]uint8 // of those that go on
	n     int
	going int
}

// add begins a relay in a ring with a field to sow from.
func (b *sowings) add(r ring, name int) {
	r = r.hand().hand()
	b.rings[b.n&31], b.names[b.n&31] = r, uint8(name)
	b.queue[b.going&31] = uint8(b.n)
	b.n++
	b.going += r.goesOn()
}

// finish sows until all relays have ended.
func (b *sowings) finish() {
	for head, tail := 0, b.going; head != tail; head++ {
		i := b.queue[head&31] & 31
		r := b.rings[i].hand().hand()
		b.rings[i] = r
		b.queue[tail&31] = i
		tail += r.goesOn()
	}
}

// wins is what the mover would win with each of his actions, and behind these,
// if both sides are asked for, what the other would if he had the turn. It is 0
// for an empty field.
func (s *State) wins(sides int) (won [2 * 2 * side]uint8) {
	r, fits := ringOf(&s.board)
	if !fits {
		return s.winsByHand(sides)
	}
	big := s.bigStones()
	if s.seat == 1 {
		r, big = r.turned(6*width), big.turned(6*width)
	}
	stones := r.sum()
	down := r.mirrored()
	var b sowings
	for i := range side * sides {
		f := 1 + i + i/side // 1 to 5, 7 to 11, as the mover sees them
		up := r.at(f)
		if up.goesOn() == 0 {
			continue
		}
		b.add(down.at(fields-f), 2*i)
		b.add(up, 2*i+1)
	}
	b.finish()
	stops := s.stops()
	for i, r := range b.rings[:b.n] {
		if r.sum() != stones { // a field has outgrown the ring
			return s.winsByHand(sides)
		}
		won[b.names[i]] = uint8((r & r.taken(stops, s.youngKings(r, big))).sum())
	}
	return won
}

// winsByHand is wins stone by stone, for boards that a ring has no room for.
func (s *State) winsByHand(sides int) (won [2 * 2 * side]uint8) {
	for i := range side * sides {
		at := (1 + i + i/side + 6*int(s.seat)) % fields
		if s.board[at] == 0 {
			continue
		}
		for way := range 2 {
			t := *s
			won[2*i+way] = uint8(min(t.sowByHand(at, 2*way-1), 255))
		}
	}
	return won
}
