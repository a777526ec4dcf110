package onitama

import "dojo/engine"

// Deal is the referee's deal for a seed (rule 3): the generator of
// java.util.Random, dealt again while the layout is on the referee's black
// list. The list holds layouts with the tiger that player 1 wins; all but a
// few of those known follow from a search of six actions, so it is derived and
// not stored.
func Deal(seed int64) engine.Position {
	r := javaRandom(uint64(seed)^0x5deece66d) & (1<<48 - 1)
	for {
		ids := make([]uint8, cards)
		for i := range ids {
			ids[i] = uint8(i)
		}
		for len(ids) > 5 {
			i := r.intn(len(ids))
			ids = append(ids[:i], ids[i+1:]...)
		}
		for i := 4; i > 0; i-- {
			j := r.intn(i + 1)
			ids[i], ids[j] = ids[j], ids[i]
		}
		s := opening([5]uint8(ids))
		if !s.refused() {
			return engine.Forget(s)
		}
	}
}

const tiger = 15

// refused reports whether the layout is on the black list.
func (s State) refused() bool {
	if !s.has(tiger) {
		return false
	}
	hand := s.hand // either hand in rising order
	for i := 0; i < centre; i += 2 {
		hand[i], hand[i+1] = min(hand[i], hand[i+1]), max(hand[i], hand[i+1])
	}
	switch hand {
	case [5]uint8{4, 6, 1, 7, 15}, [5]uint8{5, 12, 8, 9, 15}, [5]uint8{3, 15, 1, 4, 7}:
		return true // seen to be dealt again, though they take longer to win
	}
	return s.lost(6)
}

func (s State) has(c card) bool {
	for _, h := range s.hand {
		if h == c {
			return true
		}
	}
	return false
}

// lost reports whether the other player can force a win within depth actions.
func (s State) lost(depth int) bool {
	if s.outcome != engine.Ongoing || depth < 2 {
		return s.outcome == engine.WonBy(1-s.mover)
	}
	for _, a := range s.Legal(nil) {
		if !s.Play(a).won(depth - 1) {
			return false
		}
	}
	return true
}

// won reports whether the player to move can force a win within depth actions.
func (s State) won(depth int) bool {
	if s.outcome != engine.Ongoing || depth < 1 {
		return s.outcome == engine.WonBy(s.mover)
	}
	for _, a := range s.Legal(nil) {
		if s.Play(a).lost(depth - 1) {
			return true
		}
	}
	return false
}

// javaRandom is the 48-bit linear congruential generator of java.util.Random,
// whose documentation gives the constants.
type javaRandom uint64

func (r *javaRandom) next(bits int) int32 {
	*r = (*r*0x5deece66d + 0xb) & (1<<48 - 1)
	return int32(*r >> (48 - bits))
}

// intn is nextInt(n).
func (r *javaRandom) intn(n int) int {
	if n&(n-1) == 0 {
		return int(int64(n) * int64(r.next(31)) >> 31)
	}
	for {
		u := r.next(31)
		v := u % int32(n)
		if u-v+int32(n-1) >= 0 {
			return int(v)
		}
	}
}
