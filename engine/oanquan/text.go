package oanquan

import (
	"fmt"
	"strconv"
	"strings"

	"dojo.example/engine"
)

// ActionString returns an action as a field and a direction, such as "10+".
func (s State) ActionString(a engine.Action) string {
	field, dir := s.split(a)
	return strconv.Itoa(field) + map[int]string{1: "+", -1: "-"}[dir]
}

// ReadAction parses an action in the form "10+", or in the form "Move.of(10,1)" that the original
// document uses. If the action is illegal, the error explains why (questions A14, A15); see
// engine.ActionReader.
func (s State) ReadAction(name string) (engine.Action, error) {
	text := name
	if inner, ok := strings.CutPrefix(name, "Move.of("); ok {
		number, dir, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
		text = number + map[string]string{"1": "+", "-1": "-"}[strings.TrimSpace(dir)]
	}
	if text == "" {
		return 0, fmt.Errorf("oanquan: the action is empty; type a field and a direction, such as 10+")
	}
	field, err := strconv.Atoi(text[:len(text)-1])
	switch dir := text[len(text)-1]; {
	case dir != '+' && dir != '-':
		return 0, fmt.Errorf("oanquan: the direction of action %q is not + or -", name)
	case err != nil || field < 0 || field >= fields:
		return 0, fmt.Errorf("oanquan: the field of action %q is not a number from 0 to %d", name, fields-1)
	}
	for _, a := range s.Legal(nil) {
		if s.ActionString(a) == text {
			return a, nil
		}
	}
	switch {
	case s.Outcome() != engine.Ongoing:
		return 0, fmt.Errorf("oanquan: %q comes after the end of the game", name)
	case field%6 == 0 || (field < 6) != (s.seat == 0):
		return 0, fmt.Errorf("oanquan: field %d does not belong to %s", field, s.ToMove())
	}
	return 0, fmt.Errorf("oanquan: field %d has no stones", field)
}

// String returns the position in one line, in the format of section 8.
func (s State) String() string {
	counts := make([]string, fields)
	for f, n := range s.board {
		counts[f] = strconv.Itoa(int(n))
	}
	flag := map[bool]string{true: "1", false: "0"}
	return fmt.Sprintf("%s %d,%d %d %s%s %d", strings.Join(counts, ","),
		s.scores[0], s.scores[1], s.seat+1, flag[s.big[0]], flag[s.big[1]], s.plies)
}

// maxStones is the maximum number of stones on the board in a position that parse accepts. A field
// can hold up to 255 stones, which leaves capacity for stones borrowed later. Without borrowing, a
// game has at most 120 stones.
const maxStones = 200

// parse parses a position in the format of section 8, for a game with the given options. The text
// may omit the flags for big stones and the number of plies. The board may be in brackets with
// spaces, as in the original document.
func parse(opt Options, text string) (State, error) {
	line := text
	if open, end := strings.IndexByte(text, '['), strings.IndexByte(text, ']'); open >= 0 && end > open {
		line = strings.ReplaceAll(text[open+1:end], " ", "") + " " + text[end+1:]
	}
	f := strings.Fields(line)
	if len(f) < 3 || len(f) > 5 {
		return State{}, fmt.Errorf("oanquan: position %q has %d parts, want 3 to 5 (board, scores, mover and perhaps kings and plies)", text, len(f))
	}
	s := State{opt: opt, big: [2]bool{true, true}}
	r := engine.TextReader{Game: "oanquan"}
	for i, n := range r.Numbers("board", f[0], fields, 0, 255) {
		s.board[i] = uint8(n)
	}
	least := 0
	if opt.Borrow {
		least = -maxStones
	}
	for i, n := range r.Numbers("scores", f[1], 2, least, maxStones) {
		s.scores[i] = int16(n)
	}
	s.seat = uint8(r.Number("mover", f[2], 1, 2) - 1)
	if len(f) > 3 {
		if len(f[3]) != 2 || strings.Trim(f[3], "01") != "" {
			r.Fail("kings %q is not two digits, each 0 or 1", f[3])
		}
		s.big = [2]bool{f[3][0] == '1', f[3][len(f[3])-1] == '1'}
	}
	if len(f) > 4 {
		most := 1 << 15
		if opt.MaxPlies > 0 {
			most = int(opt.MaxPlies)
		}
		s.plies = uint16(r.Number("plies", f[4], 0, most))
	}
	stones := 0
	for _, n := range s.board {
		stones += int(n)
	}
	if stones > maxStones {
		r.Fail("the board has %d stones, but at most %d are allowed", stones, maxStones)
	}
	total := stones + int(s.scores[0]) + int(s.scores[1])
	if want := 2*int(opt.BigValue) + 2*side*int(opt.FolkStones); total != want {
		r.Fail("the board and the scores add up to %d, want %d", total, want)
	}
	for i, big := range s.big {
		if big && s.board[6*i] < opt.BigValue {
			r.Fail("field %d counts %d, too little for its big stone, which counts %d", 6*i, s.board[6*i], opt.BigValue)
		}
	}
	if s.outcome = s.end(); s.outcome == engine.Ongoing && s.empty(s.seat) {
		r.Fail("%s has no stones to play; write the position after the refill", s.ToMove())
	}
	return s, r.Err
}

// Draw shows the board as in section 1, and the options of the game.
func (s State) Draw() string {
	var b strings.Builder
	rule := "            +----+----+----+----+----+"
	row := func(from, step int) string {
		var line strings.Builder
		for i := range side {
			fmt.Fprintf(&line, "| %2d ", s.board[from+i*step])
		}
		return line.String() + "|"
	}
	mark := map[bool]string{true: "*", false: " "}
	fmt.Fprintf(&b, "%-10s    1    2    3    4    5      won %d\n%s\n", s.player(0), s.scores[0], rule)
	fmt.Fprintf(&b, "       %2d%s  %s\n", s.board[0], mark[s.big[0]], row(1, 1))
	fmt.Fprintf(&b, "  king 0    +----+----+----+----+----+    king 6\n")
	fmt.Fprintf(&b, "            %s    %2d%s\n%s\n", row(11, -1), s.board[6], mark[s.big[1]], rule)
	fmt.Fprintf(&b, "%-10s   11   10    9    8    7      won %d\n", s.player(1), s.scores[1])
	fmt.Fprintf(&b, "%s\n+ is clockwise; %s to move, plies played: %d\n", s.opt, s.ToMove(), s.plies)
	return b.String()
}

// String describes the options in words.
func (o Options) String() string {
	words := []string{fmt.Sprintf("big stone (*) counts %d", o.BigValue)}
	if o.YoungKing > 0 {
		words = append(words, fmt.Sprintf("quan non below %d small stones", o.YoungKing))
	}
	if o.EmptyKingStops {
		words = append(words, "an empty king field ends the turn")
	}
	if o.Borrow {
		words = append(words, "players borrow to refill")
	} else {
		words = append(words, "the game ends if a refill fails")
	}
	return strings.Join(words, ", ")
}
