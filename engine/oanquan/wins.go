package oanquan

// A table is a board as the player to move sees it, with his fields as 1 to 5.
type table struct {
	up, down ring // for whoever sows upwards, and mirrored for whoever sows downwards
	big      ring // a stone in the kings' fields that hold their big one
	stones   int  // on the board
}

// table returns the board, unless a ring has no room for it.
func (s *State) table() (t table, fits bool) {
	t.up, fits = ringOf(&s.board)
	t.big = s.bigStones()
	if s.seat == 1 {
		t.up, t.big = t.up.turned(6*width), t.big.turned(6*width)
	}
	t.down, t.stones = t.up.mirrored(), t.up.sum()
	return t, fits
}

// turns are turns that are played together, each from some field of some table: at
// most ten fields of one table, or five each of ten tables. For a field there are
// two turns, downwards and upwards.
type turns struct {
	n     int
	from  [64]uint8    // 16 · table + field
	after [64][2]ring  // the boards after the turns
	won   [64][2]uint8 // stones
}

// add lists a side's fields that have stones.
func (p *turns) add(number int, t *table, low int) {
	n, up := p.n, t.up
	for f := low; f < low+side; f++ {
		p.from[n%64] = uint8(16*number + f)
		n += int(up.at(f).goesOn())
	}
	p.n = n
}

// play plays the turns that are listed, of tables of positions of s's game. It
// reports whether all of them fit into rings.
func (p *turns) play(s *State, tables []table) (fit bool) {
	p.sow(tables)
	stops, outgrown := s.stops(), 0
	for i, x := range p.from[:p.n%64] {
		t, ends := &tables[x/16], &p.after[i]
		outgrown |= sumOf(ends[0], ends[1]) - 2*t.stones
		for way, r := range ends {
			won, taken := r.capture(stops, s.youngKings(r, t.big))
			p.won[i][way] = uint8(won)
			ends[way] = r & inside &^ taken
		}
	}
	return outgrown == 0
}

// sow plays the relays. Their hands take turns, so that the processor works at many
// at once and there are few branches to guess.
func (p *turns) sow(tables []table) {
	var queue [256]uint8 // the relays that go on: 2 · place in the list + direction
	var head, tail uint8
	for i, x := range p.from[:p.n%64] {
		t, f := &tables[x/16], int(x%16)
		down := t.down.at(fields - f).hand().hand()
		up := t.up.at(f).hand().hand()
		p.after[i] = [2]ring{down, up}
		queue[tail] = uint8(2 * i)
		tail += down.goesOn()
		queue[tail] = uint8(2*i + 1)
		tail += up.goesOn()
	}
	for ; head != tail; head++ {
		i := queue[head]
		r := &p.after[i/2%64][i%2]
		*r = r.hand().hand()
		queue[tail] = i
		tail += r.goesOn()
	}
}

// wins are the stones that sowing would win: with each of the mover's actions, and
// then with each of the other's if he had the turn. They are 0 where it is not legal.
type wins [2 * 2 * side]uint8

// wins returns the mover's wins and, if sides is 2, the other's.
func (s *State) wins(sides int) (w wins) {
	t, fit := s.table()
	var p turns
	for i := range sides {
		p.add(0, &t, 1+6*i)
	}
	if !fit || !p.play(s, []table{t}) {
		return s.winsByHand(sides)
	}
	w.read(&p)
	return w
}

func (w *wins) read(p *turns) {
	for i, x := range p.from[:p.n%64] {
		f := x % 16
		*(*[2]uint8)(w[2*(f-1-f/6):]) = p.won[i]
	}
}

// winsByHand is wins stone by stone, for boards that a ring has no room for.
func (s *State) winsByHand(sides int) (w wins) {
	for i := range 2 * side * sides {
		t := *s
		f := (1 + i/2 + i/2/side + 6*int(s.seat)) % fields
		if s.board[f] > 0 {
			w[i] = uint8(min(t.sowByHand(f, 2*(i%2)-1), 255))
		}
	}
	return w
}
