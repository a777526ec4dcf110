package patchwork

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"dojo/engine"
)

// ActionString names an action as in a record (P3): "BDCA", ".", "hEEA".
func (s State) ActionString(a engine.Action) string {
	cell, plane := int(a)/perCell, int(a)%perCell
	if plane == planeAdvance {
		return "."
	}
	patch, o := s.placed(plane)
	return letters[patch:patch+1] + corner(cell) + letters[o:o+1]
}

func corner(cell int) string {
	return string([]byte{'A' + byte(cell%side), 'A' + byte(cell/side)})
}

// String writes the position line.
func (s State) String() string {
	circle := "-"
	if s.left > 0 {
		circle = ""
		for _, p := range s.circle[:s.left] {
			circle += letters[p : p+1]
		}
	}
	name := func(n uint8) string {
		if n == 0 {
			return "-"
		}
		return strconv.Itoa(int(n))
	}
	text := fmt.Sprintf("%s %s %s %d %d %s", circle, s.player(0), s.player(1), s.seat+1, map[bool]int{true: 1}[s.pending], name(s.first))
	if s.bySeven {
		text += " " + name(s.seven)
	}
	return text
}

// player writes time:buttons:income:quilt.
func (s State) player(p int) string {
	rows := make([]string, side)
	for y := range rows {
		row, _ := strconv.ParseUint(s.quilts[p].row(y, '1', '0'), 2, side) // its binary digits
		rows[y] = strconv.FormatUint(row, 16)
	}
	return fmt.Sprintf("%d:%d:%d:%s", s.time[p], s.buttons[p], s.income[p], strings.Join(rows, "/"))
}

// parse reads a position line, or a record: the circle and the actions.
func parse(text string, bySeven bool) (State, error) {
	f := strings.Fields(text)
	want := 6
	if bySeven {
		want = 7
	}
	switch len(f) {
	case 1, 2:
		if text != strings.Join(f, " ") {
			return State{}, fmt.Errorf("patchwork: the record %q has blanks where none belong", text)
		}
		return replay(f, bySeven)
	case want:
		return position(f, bySeven)
	}
	return State{}, fmt.Errorf("patchwork: a record has 1 or 2 parts, a position %d, and %q has %d", want, text, len(f))
}

// patchNamed returns the patch with a letter, or -1.
func patchNamed(letter byte) int { return strings.IndexByte(letters, letter) }

// order reads a circle of different ordinary patches.
func order(text string) ([]uint8, error) {
	var seen uint64
	var all []uint8
	for i := range len(text) {
		p := patchNamed(text[i])
		if p < 0 || p == special {
			return nil, fmt.Errorf("patchwork: the circle's %q is no patch", text[i])
		}
		if seen>>p&1 != 0 {
			return nil, fmt.Errorf("patchwork: the circle has patch %c twice", text[i])
		}
		seen |= 1 << p
		all = append(all, uint8(p))
	}
	return all, nil
}

// replay reads a record.
func replay(f []string, bySeven bool) (State, error) {
	circle, err := order(f[0])
	if err != nil {
		return State{}, err
	}
	if len(circle) != patches {
		return State{}, fmt.Errorf("patchwork: the circle %s has %d patches, want all %d", f[0], len(circle), patches)
	}
	s := begin(circle, bySeven)
	if len(f) == 1 {
		return s, nil
	}
	for n, rest := 0, f[1]; rest != ""; n++ {
		size := 4
		if rest[0] == '.' {
			size = 1
		}
		if len(rest) < size {
			return State{}, fmt.Errorf("patchwork: action %d %q is cut short", n, rest)
		}
		a, err := s.ReadAction(rest[:size])
		if err != nil {
			return State{}, fmt.Errorf("patchwork: action %d: %w", n, err)
		}
		s, rest = s.Play(a), rest[size:]
	}
	return s, nil
}

// ReadAction reads an action with any of its orientation letters (P4), or explains why
// it is not legal; see engine.ActionReader.
func (s State) ReadAction(name string) (engine.Action, error) {
	if s.Outcome() != engine.Ongoing {
		return 0, fmt.Errorf("%q comes after the end", name)
	}
	if name != "." && len(name) != 4 {
		return 0, fmt.Errorf("%q is neither patch, column, row and orientation, nor a dot", name)
	}
	if name == "." {
		if s.pending {
			return 0, fmt.Errorf("a special patch is to be placed first")
		}
		return planeAdvance, nil
	}
	patch, cell, o, err := readPlacement(name)
	if err != nil {
		return 0, err
	}
	if s.pending != (patch == special) {
		if s.pending {
			return 0, fmt.Errorf("%q: a special patch is to be placed first", name)
		}
		return 0, fmt.Errorf("%q: no special patch is to be placed", name)
	}
	k, p := offers, &pieces[patch]
	if patch != special {
		if k = slices.Index(s.onOffer(), uint8(patch)); k < 0 {
			return 0, fmt.Errorf("%q: the patch is not on offer", name)
		}
		if int(s.buttons[s.seat]) < p.cost {
			return 0, fmt.Errorf("%q: the patch costs %d buttons, %s has %d", name, p.cost, engine.Player(s.seat), s.buttons[s.seat])
		}
	}
	o = p.shapes[o].same
	shape := &p.shapes[o]
	switch {
	case !shape.anchors.has(cell):
		return 0, fmt.Errorf("%q: the patch does not lie inside the board", name)
	case shape.mask.up(cell).and(s.quilts[s.seat]) != quilt{}:
		return 0, fmt.Errorf("%q: the patch covers another", name)
	}
	return engine.Action(cell*perCell + k*orientations + o), nil
}

// readPlacement reads the four letters of a placement: patch, column, row and
// orientation.
func readPlacement(name string) (patch, cell, orientation int, err error) {
	patch = patchNamed(name[0])
	x, y, o := int(name[1])-'A', int(name[2])-'A', int(name[3])-'A'
	switch {
	case patch < 0:
		return 0, 0, 0, fmt.Errorf("%q names no patch", name)
	case x < 0 || x >= side || y < 0 || y >= side:
		return 0, 0, 0, fmt.Errorf("%q names no square", name)
	case o < 0 || o >= orientations:
		return 0, 0, 0, fmt.Errorf("%q names no orientation", name)
	}
	return patch, y*side + x, o, nil
}

// position reads a position line.
func position(f []string, bySeven bool) (State, error) {
	s := State{bySeven: bySeven}
	if f[0] != "-" {
		circle, err := order(f[0])
		if err != nil {
			return s, err
		}
		s.left = uint8(copy(s.circle[:], circle))
	}
	for p := range 2 {
		if err := s.readPlayer(p, f[1+p]); err != nil {
			return s, err
		}
	}
	r := engine.TextReader{Game: "patchwork"}
	owner := func(name, text string) uint8 { // of what nobody may have
		if text == "-" {
			return 0
		}
		return uint8(r.Number(name, text, 0, 2))
	}
	s.seat = uint8(r.Number("mover", f[3], 1, 2) - 1)
	s.pending = r.Flag("special", f[4])
	s.first = owner("first to finish", f[5])
	if bySeven {
		s.seven = owner("owner of the 7×7", f[6])
	}
	if r.Err != nil {
		return s, r.Err
	}
	return s, s.check()
}

func (s *State) readPlayer(p int, text string) error {
	r := engine.TextReader{Game: "patchwork: " + engine.Player(p).String()}
	f := strings.Split(text, ":")
	if len(f) != 4 {
		r.Fail("%q is not time:buttons:income:quilt", text)
		return r.Err
	}
	s.time[p] = uint8(r.Number("time", f[0], 0, finish))
	s.buttons[p] = int16(r.Number("buttons", f[1], 0, 10000))
	s.income[p] = uint8(r.Number("income", f[2], 0, 200))
	rows := strings.Split(f[3], "/")
	if len(rows) != side {
		r.Fail("the quilt has %d rows, want %d", len(rows), side)
	}
	for y, row := range rows[:min(side, len(rows))] {
		v, err := strconv.ParseUint(row, 16, 16)
		if err != nil || bits.Len64(v) > side {
			r.Fail("row %d of the quilt, %q, is not a hexadecimal number of nine bits", y+1, row)
		}
		for x := range side {
			if v>>(side-1-x)&1 != 0 {
				s.quilts[p] = s.quilts[p].or(bit(y*side + x))
			}
		}
	}
	return r.Err
}

// check returns an error if a position contradicts itself.
func (s *State) check() error {
	me, other := s.time[s.seat], s.time[1-s.seat]
	switch {
	case s.Outcome() == engine.Ongoing && !s.pending && me > other:
		return fmt.Errorf("patchwork: %s is to move, but %s is behind", engine.Player(s.seat), engine.Player(1-s.seat))
	case s.pending && s.quilts[s.seat] == whole:
		return fmt.Errorf("patchwork: %s has no square for a special patch", engine.Player(s.seat))
	case (s.first > 0) != (s.time[0] == finish || s.time[1] == finish):
		return fmt.Errorf("patchwork: who finished first does not agree with the times")
	case s.first > 0 && s.time[s.first-1] != finish:
		return fmt.Errorf("patchwork: %s finished before the other but is at %d", engine.Player(s.first-1), s.time[s.first-1])
	}
	return nil
}
