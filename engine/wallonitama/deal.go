package wallonitama

import (
	"math/rand/v2"

	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

// base16 lists the sixteen cards of standard Onitama. Their circle is in the middle.
var base16 = [...]string{
	"......x.....ox...x.......", ".......x....o....x.x.....", "......x...x.o......x.....", ".......x...xo....x.......",
	".......x...xox...........", "........x..xox...x.......", ".......x..x.o.x..........", ".......x....ox...x.......",
	"........x..xo......x.....", "........x...o.x..x.......", ".....x...x..o....x.x.....", "......x.x...o....x.x.....",
	"......x....xox.....x.....", "......x.x..xox...........", "......x.x...o....x.......", "..x.........o....x.......",
}

// dealer returns a function that deals start positions (section 7 of rules.md). In 40 % of the
// games the five cards are base cards. In 40 % they are random cards with up to six crosses and the
// circle in the middle. In 20 % they are random cards with up to six crosses and the circle on any
// cell. The wall starts on a random cell of rows b to d. If a deal is not playable, the function
// deals again.
func dealer(turns uint8) func(rng *rand.Rand) State {
	return func(rng *rand.Rand) State {
		for {
			s := State{
				Sides: fivebyfive.Sides{Mine: 0b11111 << 20, Theirs: 0b11111, MyMaster: base, TheirMaster: target},
				wall:  uint8(side + rng.IntN(3*side)), left: turns,
			}
			kind := rng.IntN(10)
			order := rng.Perm(len(base16))
			for i := range s.cards {
				if kind < 4 {
					s.cards[i] = readCard(nil, "", base16[order[i]])
				} else {
					s.cards[i] = randomCard(rng, kind >= 8)
				}
			}
			if s.playable() {
				return s
			}
		}
	}
}

func randomCard(rng *rand.Rand, anywhere bool) card {
	c := card{circle: cells / 2}
	if anywhere {
		c.circle = uint8(rng.IntN(cells))
	}
	for n := 1 + rng.IntN(6); n > 0; n-- {
		if at := rng.IntN(cells); at != int(c.circle) {
			c.crosses |= 1 << at
		}
	}
	return c
}

// playable reports whether at least one player can move a pawn and First cannot win immediately.
func (s State) playable() bool {
	moves := func(s State) bool { return s.Legal(nil)[0] != restAction(passes) }
	if !moves(s) && !moves(s.passed()) {
		return false
	}
	for _, a := range s.Legal(nil) {
		if s.Play(a).outcome != engine.Ongoing {
			return false
		}
	}
	return true
}
