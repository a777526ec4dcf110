package patchwork

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"dojo.example/engine"
)

// ActionString returns an action in the notation of a game record (rule P3 in rules.md): "BDCA"
// places a patch, "hEEA" places the special patch, and "." advances.
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

// String returns the position as one line.
func (s State) String() string {
	circle := cmp.Or(lettersOf(s.circle[:s.left]), "-")
	name := func(n uint8) string { return "-12"[n : n+1] }
	text := fmt.Sprintf("%s %s %s %d %d %s", circle, s.player(0), s.player(1), s.seat+1, map[bool]int{true: 1}[s.pending], name(s.first))
	if s.bySeven {
		text += " " + name(s.seven)
	}
	return text
}

func lettersOf(circle []uint8) string {
	text := make([]byte, len(circle))
	for i, p := range circle {
		text[i] = letters[p]
	}
	return string(text)
}

// player returns the part of the position's text that describes player p, in the form
// time:buttons:income:quilt.
func (s State) player(p int) string {
	rows := make([]string, side)
	for y := range rows {
		rows[y] = strconv.FormatUint(mirrored(s.quilts[p].down(y*side).lo), 16)
	}
	return fmt.Sprintf("%d:%d:%d:%s", s.time[p], s.buttons[p], s.income[p], strings.Join(rows, "/"))
}

// parse parses a position line or a game record. A record is the order of the patches in the
// circle, followed by the actions, separated by a space. bySeven says whether the option
// seven_by_seven is set.
func parse(text string, bySeven bool) (s State, err error) {
	r := engine.TextReader{Game: "patchwork"}
	f, want := strings.Fields(text), 6
	if bySeven {
		want = 7
	}
	switch len(f) {
	case 1, 2:
		if text != strings.Join(f, " ") {
			r.Fail("the record %q has too many blanks: it may have only one, between the circle and the actions", text)
		}
		s = replay(&r, f[0], strings.Join(f[1:], ""), bySeven)
	case want:
		s = position(&r, f, bySeven)
	default:
		r.Fail("%q has %d parts, but a position has %d and a record 1 or 2", text, len(f), want)
	}
	return s, r.Err
}

// order parses the order of the patches in a circle. The special patch is not allowed, and each
// other patch may occur only once.
func order(r *engine.TextReader, text string) (circle []uint8) {
	for i := range len(text) {
		p := strings.IndexByte(letters[:patches], text[i])
		switch {
		case p < 0:
			r.Fail("the circle contains %q, which is not a patch", text[i])
		case slices.Contains(circle, uint8(p)):
			r.Fail("the circle contains patch %c twice", text[i])
		}
		circle = append(circle, uint8(p))
	}
	return circle
}

// replay parses a record and returns the position at its end.
func replay(r *engine.TextReader, circle, actions string, bySeven bool) (s State) {
	patch := order(r, circle)
	if len(patch) != patches {
		r.Fail("the circle %s has %d patches, want all %d", circle, len(patch), patches)
	}
	if r.Err == nil {
		s = begin(patch, bySeven)
	}
	for n := 0; actions != "" && r.Err == nil; n++ {
		name := actions[:min(4, len(actions))]
		if name[0] == '.' {
			name = "."
		}
		a, err := s.ReadAction(name)
		if err != nil {
			r.Fail("action %d: %w", n, err)
			break
		}
		s, actions = s.Play(a), actions[len(name):]
	}
	return s
}

// ReadAction parses an action. It accepts any orientation letter that gives the same cells (P4 in
// rules.md). If the action is illegal, the error explains why; see engine.ActionReader.
func (s State) ReadAction(name string) (engine.Action, error) {
	refuse := func(why string, args ...any) (engine.Action, error) {
		return 0, fmt.Errorf("%q"+why, append([]any{name}, args...)...)
	}
	switch {
	case s.Outcome() != engine.Ongoing:
		return refuse(" comes after the end of the game")
	case name == "." && !s.pending:
		return planeAdvance, nil
	case name == ".":
		return refuse(": a special patch must be placed first")
	case len(name) != 4:
		return refuse(" is not an action: want patch, column, row and orientation, such as BDCA, or a dot")
	}
	patch, x, y, o := strings.IndexByte(letters, name[0]), int(name[1])-'A', int(name[2])-'A', int(name[3])-'A'
	k := slices.Index(s.onOffer(), uint8(patch))
	if patch == special {
		k = offers
	}
	switch {
	case patch < 0:
		return refuse(": %q is not a patch", name[:1])
	case x < 0 || x >= side || y < 0 || y >= side:
		return refuse(": %q is not a column and a row from A to I", name[1:3])
	case o < 0 || o >= orientations:
		return refuse(": %q is not an orientation from A to H", name[3:])
	case s.pending && patch != special:
		return refuse(": a special patch must be placed first")
	case !s.pending && patch == special:
		return refuse(": %s has no special patch to place", engine.Player(s.seat))
	case k < 0:
		return refuse(": the patch is not on offer")
	case int(s.buttons[s.seat]) < pieces[patch].cost:
		return refuse(": the patch costs %d buttons, but %s has %d", pieces[patch].cost, engine.Player(s.seat), s.buttons[s.seat])
	}
	cell, o := y*side+x, pieces[patch].shapes[o].same
	shape := &pieces[patch].shapes[o]
	switch {
	case !shape.anchors.has(cell):
		return refuse(": the patch does not fit on the board there")
	case shape.mask.up(cell).and(s.quilts[s.seat]) != quilt{}:
		return refuse(": the patch would cover another patch")
	}
	return engine.Action(cell*perCell + k*orientations + o), nil
}

// position parses a position line. If parts of the line contradict each other, it reports an error.
func position(r *engine.TextReader, f []string, bySeven bool) State {
	s := State{bySeven: bySeven}
	if f[0] != "-" {
		s.left = uint8(copy(s.circle[:], order(r, f[0])))
	}
	for p := range 2 {
		s.readPlayer(r, p, f[1+p])
	}
	owner := func(name, text string) uint8 { // parses the number of a player, or 0 for nobody
		if text == "-" {
			return 0
		}
		return uint8(r.Number(name, text, 0, 2))
	}
	s.seat = uint8(r.Number("mover", f[3], 1, 2) - 1)
	s.pending = r.Number("special", f[4], 0, 1) == 1
	s.first = owner("first to finish", f[5])
	if bySeven {
		s.seven = owner("owner of the 7×7", f[6])
	}
	if r.Err != nil {
		return s
	}
	me, other := engine.Player(s.seat), engine.Player(1-s.seat)
	switch {
	case s.Outcome() == engine.Ongoing && !s.pending && s.time[me] > s.time[other]:
		r.Fail("%s is to move, but %s is further back on the time board", me, other)
	case s.pending && s.quilts[me] == whole:
		r.Fail("%s must place a special patch, but has no empty square", me)
	case (s.first > 0) != (s.time[0] == finish || s.time[1] == finish):
		r.Fail("the first player to finish does not agree with the times")
	case s.first > 0 && s.time[s.first-1] != finish:
		r.Fail("%s is the first player to finish, but has time %d instead of %d", engine.Player(s.first-1), s.time[s.first-1], finish)
	}
	return s
}

// readPlayer parses the part of a position line for player p, in the form
// time:buttons:income:quilt.
func (s *State) readPlayer(r *engine.TextReader, p int, text string) {
	f, of := strings.Split(text, ":"), engine.Player(p).String()+"'s "
	if len(f) != 4 {
		r.Fail("%s is %q, want time:buttons:income:quilt", engine.Player(p), text)
		return
	}
	s.time[p] = uint8(r.Number(of+"time", f[0], 0, finish))
	s.buttons[p] = int16(r.Number(of+"buttons", f[1], 0, 10000))
	s.income[p] = uint8(r.Number(of+"income", f[2], 0, 200))
	rows := strings.Split(f[3], "/")
	if len(rows) != side {
		r.Fail("%squilt has %d rows, want %d", of, len(rows), side)
	}
	for y, row := range rows[:min(side, len(rows))] {
		v, err := strconv.ParseUint(row, 16, 16)
		if err != nil || bits.Len64(v) > side {
			r.Fail("row %d of %squilt, %q, is not a hexadecimal number of at most nine bits", y+1, of, row)
		}
		s.quilts[p] = s.quilts[p].or(quilt{lo: mirrored(v)}.up(y * side))
	}
}

// mirrored reverses the order of the cells in a row. In a quilt, the first cell of a row is the
// lowest bit; in text, it is the highest bit.
func mirrored(row uint64) uint64 { return bits.Reverse64(row) >> (64 - side) }
