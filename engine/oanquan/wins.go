package oanquan

import (
	"slices"

	"dojo.example/engine"
)

// table is a board for computing gains. It is rotated so that the mover's fields are 1 to 5.
type table struct {
	up, down ring // the board for sowing upwards, and its mirror image for sowing downwards
	big      ring // one stone in each king field with its big stone
	stones   int  // number of stones on the board
}

const (
	mine   = (1<<(side*width) - 1) << width // bits of the mover's fields in up
	theirs = mine << (6 * width)            // bits of the opponent's fields in up. In down, mine and theirs are exchanged.
)

// table returns the board of s as a table. fits is false if a field has too many stones for a ring.
func (s *State) table() (t table, fits bool) {
	t.up, fits = ringOf(&s.board)
	t.big = s.bigStones()
	if s.seat == 1 {
		t.up, t.big = t.up.turned(6*width), t.big.turned(6*width)
	}
	t.down, t.stones = t.up.mirrored(), t.up.sum()
	return t, fits
}

// relays is a list of fields from which to sow, in both directions. The fields belong to one table
// (at most ten fields) or to several tables (at most ten tables with five fields each). sow sows
// from all of them at the same time.
type relays struct {
	n    uint        // number of elements of from that are in use
	from [64]uint8   // each field, as 16 * (index of its table) + field
	ends [64][2]ring // for each field, the rings after sowing downwards and upwards
}

// add adds the nonempty fields among the five from low on to the list. The parameter number is the
// index of table t.
func (p *relays) add(number int, t *table, low int) {
	n, some := p.n, t.up.occupied()>>(width*low)
	for f := low; f < low+side; f++ {
		p.from[n%64] = uint8(16*number + f)
		n += uint(some & 1)
		some >>= width
	}
	p.n = n
}

// sow plays all sowings of the list. It returns false if a field overflowed. In a sowing, the
// player picks up and sows the stones of one field after another; the stones of one field are a
// hand. The loop plays a few hands of each sowing in turn, so that the processor can work on many
// sowings in parallel and mispredicts few branches.
func (p *relays) sow(tables []table) (fit bool) {
	var queue [256]uint8 // unfinished sowings, each as 2 * (index in from) + direction
	var head, tail uint8
	for i, x := range p.from[:p.n%64] {
		t, f := &tables[x/16], int(x%16)
		down := t.down.at(fields - f).hand().hand()
		up := t.up.at(f).hand().hand()
		p.ends[i] = [2]ring{down, up}
		queue[tail] = uint8(2 * i)
		tail += down.goesOn()
		queue[tail] = uint8(2*i + 1)
		tail += up.goesOn()
	}
	for ; head != tail; head++ {
		i := queue[head]
		r := &p.ends[i/2%64][i%2]
		*r = r.hand().hand()
		queue[tail] = i
		tail += r.goesOn()
	}
	outgrown := 0
	for i, x := range p.from[:p.n%64] {
		outgrown |= sumOf(p.ends[i][0], p.ends[i][1]) - 2*tables[x/16].stones
	}
	return outgrown == 0
}

// wins holds the number of stones that each action wins: first the actions of the mover, then the
// actions of the opponent as if it were the opponent's turn. It is 0 for illegal actions.
type wins [2 * 2 * side]uint8

// sowAll sows from all fields of the mover. If sides is 2, it also sows from all fields of the
// opponent. fit is false if a field has too many stones for a ring.
func (s *State) sowAll(p *relays, sides int) (t table, fit bool) {
	t, fit = s.table()
	for i := range sides {
		p.add(0, &t, 1+6*i)
	}
	return t, fit && p.sow([]table{t})
}

// wins returns the number of stones that each action of the mover wins. If sides is 2, it also
// returns the numbers for the opponent's actions.
func (s *State) wins(sides int) (w wins) {
	var p relays
	t, fit := s.sowAll(&p, sides)
	if !fit {
		return s.winsByHand(sides)
	}
	for i, x := range p.from[:p.n%64] {
		for way, r := range p.ends[i] {
			won, _ := s.capture(r, &t)
			w[place(x)+way] = uint8(won)
		}
	}
	return w
}

// place returns the index in wins of the action that plays field f downwards. The next index is the
// action that plays f upwards.
func place(f uint8) int { return int(2 * (f - 1 - f/6)) }

// capture returns the captures after a sowing on table t ended with the ring end; see ring.capture.
func (s *State) capture(end ring, t *table) (won int, taken ring) {
	return end.capture(s.stops(), s.youngKings(end, t.big))
}

// winsByHand returns the same as wins, but sows stone by stone. The code uses it for boards that do
// not fit into a ring.
func (s *State) winsByHand(sides int) (w wins) {
	for i := range 2 * side * sides {
		t := *s
		f := (1 + i/2 + i/2/side + 6*int(s.seat)) % fields
		if s.board[f] > 0 {
			w[i] = uint8(min(t.sow(f, 2*(i%2)-1, nil), 255))
		}
	}
	return w
}

// prospects returns the gains (stones won) of both players' actions. In best, it also returns, for
// each action of the mover, the gain of the opponent's best answer, or 0 if there is no answer.
func (s *State) prospects() (w wins, best [2 * side]uint8) {
	var p relays
	t, fit := s.sowAll(&p, 2)
	if !fit {
		return s.winsByHand(2), s.answersByHand()
	}
	var next [2 * side]table
	var actions [2 * side]uint8
	n := 0
	for i, x := range p.from[:p.n%64] {
		for way, r := range p.ends[i] {
			won, taken := s.capture(r, &t)
			a := place(x) + way
			w[a] = uint8(won)
			if a >= 2*side { // a is an action of the opponent
				continue
			}
			if u, ongoing := s.following(&t, r.without(taken), way == 1); ongoing {
				next[n], actions[n] = u, uint8(a)
				n++
			}
		}
	}
	p.n = 0
	for i := range next[:n] {
		p.add(i, &next[i], 7)
	}
	if !p.sow(next[:n]) {
		return w, s.answersByHand()
	}
	for i, x := range p.from[:p.n%64] {
		t, a := &next[x/16], actions[x/16]
		down, _ := s.capture(p.ends[i][0], t)
		up, _ := s.capture(p.ends[i][1], t)
		best[a] = max(best[a], uint8(down), uint8(up))
	}
	return w, best
}

// following returns the table after a turn of the mover, still from the mover's perspective. The
// ring r holds the stones that the turn left on the board, and upwards is true if the turn sowed
// upwards. ongoing reports whether the game is not over.
func (s *State) following(t *table, r ring, upwards bool) (u table, ongoing bool) {
	u = table{up: r, down: r.mirrored(), big: t.big & r.occupied(), stones: r.sum()}
	if !upwards {
		u.up, u.down = u.down, u.up
	}
	won := t.stones - u.stones
	noneMine := u.up&mine == 0 && int(s.scores[s.seat])+won < side
	noneTheirs := u.up&theirs == 0 && s.scores[1-s.seat] < side
	switch {
	case u.up&^folk == 0, s.opt.MaxPlies > 0 && s.plies+1 >= s.opt.MaxPlies,
		!s.opt.Borrow && (noneTheirs || noneMine && !s.opt.EndMover): // the game is over; see end
		return u, false
	case u.up&theirs == 0: // the opponent refills the side; see Play
		u.up |= lap & theirs
		u.down |= lap & mine
		u.stones += side
	}
	return u, true
}

// answersByHand returns the same best answers as prospects, but sows stone by stone. The code uses
// it for boards that do not fit into a ring.
func (s *State) answersByHand() (best [2 * side]uint8) {
	for _, a := range s.Legal(make([]engine.Action, 0, 2*side)) {
		if after := s.Play(a); after.outcome == engine.Ongoing {
			wins := after.winsByHand(1)
			best[a] = slices.Max(wins[:])
		}
	}
	return best
}
