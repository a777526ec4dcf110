package wallonitama

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
	"dojo.example/engine/fivebyfive"
)

func TestLaws(t *testing.T) { enginetest.Run(t, Rules, image) }

func FuzzPlay(f *testing.F) { enginetest.Fuzz(f, Rules) }

func TestGolden(t *testing.T) { enginetest.Golden(t, Rules, 1) }

// mirrored returns the position with the board and the cards mirrored left to right.
func mirrored(s State) State {
	turn := func(b board) (out board) {
		for cell := range cells {
			if b>>cell&1 != 0 {
				out |= 1 << fivebyfive.View{Mirror: true}.Cell(cell)
			}
		}
		return out
	}
	at := func(cell uint8) uint8 {
		if cell == gone {
			return gone
		}
		return uint8(fivebyfive.View{Mirror: true}.Cell(int(cell)))
	}
	s.Mine, s.Theirs = turn(s.Mine), turn(s.Theirs)
	s.MyMaster, s.TheirMaster, s.wall = at(s.MyMaster), at(s.TheirMaster), at(s.wall)
	for i, c := range s.cards {
		s.cards[i] = card{turn(c.crosses), at(c.circle)}
	}
	return s
}

// image returns the image of a position under the symmetry with index i. The bits of i+1 say
// whether the symmetry mirrors the board and which cards it exchanges.
func image(i int, s State) State {
	if (i+1)&1 != 0 {
		s = mirrored(s)
	}
	if (i+1)&2 != 0 {
		s.cards[0], s.cards[1] = s.cards[1], s.cards[0]
	}
	if (i+1)&4 != 0 {
		s.cards[2], s.cards[3] = s.cards[3], s.cards[2]
	}
	return s
}

// situation is a position in the format of the test data.
type situation struct {
	Name   string
	Board  []string
	ToMove string `json:"to_move"`
	A, B   [2]string
	Side   string
}

func (v situation) state(t *testing.T, turns int) State {
	t.Helper()
	var held [5]card
	var r engine.TextReader
	for i, text := range []string{v.A[0], v.A[1], v.B[0], v.B[1], v.Side} {
		held[i] = readCard(&r, "card", text)
	}
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	s, err := assemble(engine.TextReader{Game: "wallonitama"}, v.Board, v.ToMove[:1], turns, held, false)
	if err != nil {
		t.Fatalf("%s: %v", v.Name, err)
	}
	return s
}

// turns maps the name of each whole turn to the position after it. A turn is two actions, or one
// winning action.
func turns(s State) map[string]State {
	all := map[string]State{}
	for _, a := range s.Legal(nil) {
		name := s.ActionString(a)
		if strings.HasSuffix(name, "XX") {
			name += "XX" // the test data write both squares
		}
		next := s.Play(a)
		if next.Outcome() != engine.Ongoing {
			all[name+"-"] = next
			continue
		}
		for _, w := range next.Legal(nil) {
			all[name+next.ActionString(w)] = next.Play(w)
		}
	}
	return all
}

func TestTurns(t *testing.T) {
	positions := enginetest.Vectors[struct {
		situation
		Turns []string
	}](t, "wall-positions.jsonl.gz")
	byName := map[string]State{}
	for _, v := range positions {
		s := v.state(t, 50)
		byName[v.Name] = s
		var got []string
		for name := range turns(s) {
			got = append(got, name)
		}
		slices.Sort(got)
		slices.Sort(v.Turns)
		if !slices.Equal(got, v.Turns) {
			t.Fatalf("%s: turns %v, want %v", s, got, v.Turns)
		}
	}
	if len(positions) < 150 {
		t.Errorf("only %d positions", len(positions))
	}
	counts := 0
	for _, v := range enginetest.Vectors[struct {
		Name         string
		Depth, Nodes int
	}](t, "wall-perft.jsonl.gz") {
		s, ok := byName[v.Name]
		if !ok || v.Nodes > 1_000_000 {
			continue
		}
		if got := perft(s, v.Depth); got != v.Nodes {
			t.Errorf("%s at depth %d: %d, want %d", v.Name, v.Depth, got, v.Nodes)
		}
		counts++
	}
	if counts < 150 {
		t.Errorf("only %d counts", counts)
	}
}

// perft counts the ways to play depth whole turns.
func perft(s State, depth int) (n int) {
	if depth == 0 {
		return 1
	}
	for _, a := range s.Legal(nil) {
		next := s.Play(a)
		if next.Outcome() != engine.Ongoing {
			if depth == 1 {
				n++
			}
			continue
		}
		for _, w := range next.Legal(nil) {
			n += perft(next.Play(w), depth-1)
		}
	}
	return n
}

// A turn that the referee accepts must be legal and lead to the referee's position. A turn that the
// referee rejects must be illegal.
func TestVerdicts(t *testing.T) {
	byName := map[string]State{}
	for _, v := range enginetest.Vectors[situation](t, "wall-positions.jsonl.gz") {
		byName[v.Name] = v.state(t, 50)
	}
	accepted, rejected := 0, 0
	for i, v := range enginetest.Vectors[struct {
		Pos, From, To, W, Verdict string
		Card                      int
		Messages                  []string
		Next                      *situation
	}](t, "wall-verdicts.jsonl.gz") {
		s, ok := byName[v.Pos]
		if !ok {
			t.Fatalf("no position %s", v.Pos)
		}
		all := turns(s)
		name := strconv.Itoa(v.Card) + v.From + v.To
		if _, free := all["1XXXXs"]; free {
			name = strconv.Itoa(v.Card) + "XXXX" // the referee ignores the two squares here
		}
		next, legal := all[name+v.W]
		if won, ok := all[name+"-"]; ok { // the turn won, so the referee ignores the wall
			next, legal = won, true
		}
		switch v.Verdict {
		case "rejected":
			rejected++
			if legal {
				t.Errorf("verdict %d: %s%s is rejected in %s", i, name, v.W, s)
			}
		default:
			accepted++
			if !legal {
				t.Errorf("verdict %d: %s%s is %s in %s", i, name, v.W, v.Verdict, s)
			} else if v.Next != nil && next.Outcome() == engine.Ongoing {
				if want := v.Next.state(t, 49); want != next {
					t.Errorf("verdict %d: %s%s leads to %s, want %s", i, name, v.W, next, want)
				}
			}
		}
	}
	if accepted < 500 || rejected < 500 {
		t.Errorf("only %d accepted and %d rejected turns", accepted, rejected)
	}
}

// The test data list which turns win or lose, and in how many plies. A search must find the same
// turns and the same numbers.
func TestTactics(t *testing.T) {
	checked := 0
	for _, v := range enginetest.Vectors[struct {
		situation
		Turns map[string]string
	}](t, "wall-tactics.jsonl.gz") {
		s := v.state(t, 50)
		all := turns(s)
		if len(all) != len(v.Turns) {
			t.Fatalf("%s has %d turns, want %d", v.Name, len(all), len(v.Turns))
		}
		for name, value := range v.Turns {
			next, ok := all[name]
			if !ok {
				t.Fatalf("%s: no turn %s", v.Name, name)
			}
			switch won := next.Outcome() == engine.WonBy(s.ToMove()); value {
			case "W1":
				if !won {
					t.Errorf("%s: %s should win", v.Name, name)
				}
			case "L2":
				if won || !winsNow(next) {
					t.Errorf("%s: %s should lose in two", v.Name, name)
				}
			default:
				if won || winsNow(next) {
					t.Errorf("%s: %s should be %s", v.Name, name, value)
				}
			}
			checked++
		}
	}
	if checked < 1000 {
		t.Errorf("only %d turns", checked)
	}
}

func winsNow(s State) bool {
	for _, a := range s.Legal(nil) {
		if s.Play(a).Outcome() == engine.WonBy(s.ToMove()) {
			return true
		}
	}
	return false
}

// The test replays recorded games, if their file is available, and compares each board.
func TestRecordedGames(t *testing.T) {
	path := "../../../shared/rules/wallonitama/recorded/wall-games.jsonl.gz"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the recorded games are not at hand")
	}
	boards := 0
	for _, g := range enginetest.Vectors[struct {
		ID    int
		Turns []struct {
			situation
			Left   int
			Action *struct {
				Card        int
				From, To, W string
			}
		}
	}](t, "../"+path) {
		var want *State
		for _, v := range g.Turns {
			s := v.state(t, v.Left)
			if want != nil && s != *want {
				t.Fatalf("game %d: the board is %s, want %s", g.ID, s, *want)
			}
			want = nil
			boards++
			if v.Action == nil {
				break
			}
			next, ok := turns(s)[strconv.Itoa(v.Action.Card)+v.Action.From+v.Action.To+v.Action.W]
			if !ok {
				break // this happens only in a game's last turn, if it was illegal, won the game, or ended in a program error
			}
			want = &next
		}
	}
	if boards < 2000 {
		t.Errorf("only %d boards", boards)
	}
}

// By section 4, the last turn ends the game in a draw unless it wins.
func TestTurnLimit(t *testing.T) {
	s, err := Parse("bbBbb/...../W..../...../aaAaa A 1 .......x....o............ .......x....o............ .......x....o............ .......x....o............ .......x....o............ pawn")
	if err != nil {
		t.Fatal(err)
	}
	s = s.Play(s.Legal(nil)[0])
	if s.Outcome() != engine.Ongoing || s.ToMove() != engine.First {
		t.Fatalf("after the pawn the wall is due: %s", s)
	}
	if s = s.Play(restAction(stay)); s.Outcome() != engine.Draw {
		t.Errorf("the last turn gives %v", s.Outcome())
	}
}

func TestParseMistakes(t *testing.T) {
	const good = "bbBbb/...../W..../...../aaAaa A 50 .......x....o............ .......x....o............ .......x....o............ .......x....o............ .......x....o............ pawn"
	for _, c := range []struct{ from, to, says string }{
		{"bbBbb/", "", "4 rows"}, {"bbBbb", "bbBb", "row a"}, {"aaAaa", "aaAAa", "two A"}, {"aaAaa", "aaAax", "e5"},
		{"W....", ".....", "no wall"}, {" A 50", " C 50", "mover"}, {" A 50", " A x", "turns"}, {"o....", ".....", "25 characters"},
		{"pawn", "king", "phase"}, {" pawn", "", "has 8 parts"},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if s, err := Parse(text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Parse(%q) = %s, %v; want an error with %q", text, s, err, c.says)
		}
	}
	if s, err := Parse(good); err != nil || s.String() != good {
		t.Errorf("%s, %v", s, err)
	}
}

// Parse reads each text of the original program as the same position as String's text.
func TestParseMatlab(t *testing.T) {
	const (
		line  = "bb.bb/..B../W..../...../aaAaa B 20 ......x....xo.x.......... .......x....ox........... .......x....o...x........ ......x.x...o...x........ x.......x...o............ pawn"
		board = "['bb bb';'  B  ';'W    ';'     ';'aaAaa']"
		rest  = "['.....';'.x...';'.xo.x';'.....';'.....'], ['.....';'..x..';'..ox.';'.....';'.....'],['.....';'..x..';'..o..';'.x...';'.....'],['.....';'.x.x.';'..o..';'.x...';'.....'],['x....';'   x ';'..o..';'.....';'.....']"
	)
	cards := strings.SplitAfter(rest, "']")
	setup := "case 7 % a note\n  turnNum = 20;\n currentPlayer='B';\nboard = " + strings.ReplaceAll(board, ";", ";...\n") + ";\n"
	for i, name := range []string{"cardA1", "cardA2", "cardB1", "cardB2", "sideCard"} {
		setup += name + " = " + strings.TrimLeft(cards[i], ", ") + ";\n"
	}
	letters := strings.Replace(setup, "'bb bb'", "'b','b',' ','b','b'", 1)
	call := "[cardPicked, moveFrom, moveTo, wDir] = AI1155126361('B', " + board + "," + rest + ", 20)"
	for _, text := range []string{setup, letters, call} {
		if s, err := Parse(text); err != nil || s.String() != line {
			t.Errorf("Parse(%s) = %s, %v; want %s", text, s, err, line)
		}
	}
	for _, c := range []struct{ text, says string }{
		{strings.Replace(setup, "turnNum", "turns", 1), "turnNum"},
		{setup + setup, "twice"},
		{strings.Replace(call, ", 20", "", 1), "7 arguments"},
		{strings.Replace(setup, "= 20", "= 999", 1), "999"},
		{strings.Replace(setup, "='B'", "='C'", 1), "neither"},
		{strings.Replace(setup, "'.xo.x'", "'.x..x'", 1), "cardA1"},
		{strings.Replace(setup, "'bb bb'", "'bb b'", 1), "row a"},
	} {
		if s, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Parse(%s) = %s, %v; want an error with %q", c.text, s, err, c.says)
		}
	}
}

// The error for an illegal action gives the reason.
func TestReadActionMistakes(t *testing.T) {
	s, err := Parse("bbBbb/...../W..../...../aaAaa A 50 ......x....xo.x.......... .......x....ox........... .......x....o...x........ ......x.x...o...x........ ..x.....x...o............ pawn")
	if err != nil {
		t.Fatal(err)
	}
	for text, says := range map[string]string{
		"1a1":   "want card, from and to",
		"3e1d1": "there is no card 3",
		"1e9d1": "squares are a1 to e5",
		"1d1c1": "you have no pawn on d1",
		"1e1a5": "card 1 has no step from e1 to a5",
		"1XX":   "want card, from and to",
		"u":     "want card, from and to",
	} {
		if _, err := s.ReadAction(text); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), text) {
			t.Errorf("ReadAction(%q): %v; want an error with %q", text, err, says)
		}
	}
}

func BenchmarkPerft(b *testing.B) {
	s, err := Parse("bbBbb/...../W..../...../aaAaa A 50 ......x....xo.x.......... .......x....ox........... .......x....o...x........ ......x.x...o...x........ ..x.....x...o............ pawn")
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		n += engine.Perft(s, 6)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "nodes/s")
}
