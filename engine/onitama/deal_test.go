package onitama

import (
	"slices"

	"dojo.example/engine"
)

// deal returns the start position that the referee deals for a seed (rule 12). It uses a copy of
// the random number generator java.util.Random.
func deal(seed int64) State {
	r := javaRandom(uint64(seed)^0x5deece66d) & (1<<48 - 1)
	for {
		ids := make([]card, cards)
		for i := range ids {
			ids[i] = card(i)
		}
		for len(ids) > handSize {
			i := r.intn(len(ids))
			ids = slices.Delete(ids, i, i+1)
		}
		for i := handSize - 1; i > 0; i-- {
			j := r.intn(i + 1)
			ids[i], ids[j] = ids[j], ids[i]
		}
		if s := opening([handSize]card(ids)); !s.refused() {
			return s
		}
	}
}

const tiger = 15

// refused reports whether the referee rejects this start position and deals again (rule 12). The
// referee has a list of 162 rejected deals. These are exactly the deals in which First can force a
// win within five actions. All of them contain the tiger, so deals without the tiger need no
// search.
func (s State) refused() bool {
	return slices.Contains(s.hand[:], tiger) && s.won(5)
}

// won reports whether the player to move can force a win within depth actions.
func (s State) won(depth int) bool {
	if s.outcome != engine.Ongoing || depth < 1 {
		return s.outcome == engine.WonBy(s.Mover)
	}
	if s.strikes() {
		return true
	}
	if depth < 3 {
		return false
	}
	var buffer [maxLegal]engine.Action
	for _, a := range s.Legal(buffer[:0]) {
		if s.Play(a).lost(depth - 1) {
			return true
		}
	}
	return false
}

// lost reports whether the opponent can force a win within depth actions.
func (s State) lost(depth int) bool {
	if s.outcome != engine.Ongoing || depth < 2 {
		return s.outcome == engine.WonBy(1-s.Mover)
	}
	var buffer [maxLegal]engine.Action
	for _, a := range s.Legal(buffer[:0]) {
		if !s.Play(a).won(depth - 1) {
			return false
		}
	}
	return true
}

// strikes reports whether the player to move can win with one action (rule 5).
func (s State) strikes() bool {
	for _, c := range s.hand[:2] {
		if either(s.Mine, &reach[c], &reach[c])>>s.TheirMaster&1 != 0 || reach[c][s.MyMaster]&^s.Mine>>target&1 != 0 {
			return true
		}
	}
	return false
}

// javaRandom is the 48-bit linear congruential generator of java.util.Random, with the constants
// from its documentation.
type javaRandom uint64

func (r *javaRandom) next(bits int) int32 {
	*r = (*r*0x5deece66d + 0xb) & (1<<48 - 1)
	return int32(*r >> (48 - bits))
}

// intn returns the result of the Java call nextInt(n).
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
