package onitama

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dojo/engine"
	"dojo/engine/enginetest"
)

func TestConformance(t *testing.T) { enginetest.Run(t, Classic) }

func FuzzPlay(f *testing.F) { enginetest.Fuzz(f, Classic) }

// FuzzParse: what is read at all is read back the same.
func FuzzParse(f *testing.F) {
	f.Add("bbBbb/...../...../...../wwWww 0 8,6 0,12 9 17")
	f.Add(opening([5]uint8{8, 6, 0, 12, 9}).InputBlock())
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if back, err := Parse(s.String()); err != nil || back != s {
			t.Fatalf("%q was read as %s, which is read as %s, %v", text, s, back, err)
		}
	})
}

// TestMillions plays as many plies as DOJO_PLIES says.
func TestMillions(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("DOJO_PLIES"))
	if err != nil {
		t.Skip("set DOJO_PLIES to a number of plies, such as 10000000")
	}
	enginetest.Plies(t, Classic, n)
}

// mirror is the position with the board mirrored, every card by its mirror
// image (rule 2).
func mirror(s State) State {
	pairs := [cards]uint8{8, 1, 9, 7, 4, 12, 6, 3, 0, 2, 10, 11, 5, 13, 14, 15}
	flip := func(b board) (out board) {
		for cell := range cells {
			if b>>cell&1 != 0 {
				out |= 1 << (cell - cell%side + side - 1 - cell%side)
			}
		}
		return out
	}
	master := func(cell uint8) uint8 {
		if cell == gone {
			return gone
		}
		return cell - cell%side + side - 1 - cell%side
	}
	s.mine, s.theirs = flip(s.mine), flip(s.theirs)
	s.myMaster, s.theirMaster = master(s.myMaster), master(s.theirMaster)
	for i, c := range s.hand {
		s.hand[i] = pairs[c]
	}
	return s
}

func TestSymmetries(t *testing.T) {
	for _, sym := range Classic.Symmetries {
		enginetest.Symmetric(t, Classic, sym, func(s State) State {
			if strings.Contains(sym.Name, "mirror") {
				s = mirror(s)
			}
			if strings.Contains(sym.Name, "my") {
				s.hand[0], s.hand[1] = s.hand[1], s.hand[0]
			}
			if strings.Contains(sym.Name, "their") {
				s.hand[2], s.hand[3] = s.hand[3], s.hand[2]
			}
			return s
		})
	}
	if len(Classic.Symmetries) != 7 {
		t.Errorf("%d symmetries, want 7", len(Classic.Symmetries))
	}
}

// lines reads a compressed file of testdata.
func lines(t testing.TB, name string) *json.Decoder {
	t.Helper()
	return json.NewDecoder(bytes.NewReader(unzip(t, name)))
}

func unzip(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func parse(t testing.TB, text string) State {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPerft(t *testing.T) {
	checked := 0
	for in := lines(t, "onitama-perft.jsonl.gz"); in.More(); {
		var v struct {
			Pos          string
			Depth, Nodes int
			Wins, Passes int
			Captures     int
		}
		if err := in.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if v.Nodes > 5_000_000 || (testing.Short() && v.Nodes > 50_000) {
			continue
		}
		s := parse(t, v.Pos)
		if got := engine.Perft(s, v.Depth); got != v.Nodes {
			t.Errorf("Perft(%s, %d) = %d, want %d", v.Pos, v.Depth, got, v.Nodes)
		}
		if v.Nodes < 100_000 && v.Depth > 0 {
			if w, p, c := details(s, v.Depth); w != v.Wins || p != v.Passes || c != v.Captures {
				t.Errorf("%s at depth %d has %d wins, %d passes, %d captures, want %d, %d, %d", v.Pos, v.Depth, w, p, c, v.Wins, v.Passes, v.Captures)
			}
		}
		checked++
	}
	if checked < 300 {
		t.Errorf("only %d counts were checked", checked)
	}
}

// details counts wins, passes and captures at the last ply.
func details(s State, depth int) (wins, passes, captures int) {
	for _, a := range s.Legal(nil) {
		next := s.Play(a)
		if depth > 1 {
			w, p, c := details(next, depth-1)
			wins, passes, captures = wins+w, passes+p, captures+c
			continue
		}
		if next.Outcome() != engine.Ongoing {
			wins++
		}
		if strings.HasSuffix(s.ActionString(a), "PASS") {
			passes++
		}
		if count(next.mine) < count(s.theirs) {
			captures++
		}
	}
	return wins, passes, captures
}

// answer is the referee's reading of a line (rule 7).
var answer = regexp.MustCompile(`^(?i)(\d+)\s+([A-E][1-5][A-E][1-5]|PASS)(?:\s+(.+))?$`)

// Every recorded game replays: our input block is what the player read, and
// what the referee accepted is what we find legal.
func TestTranscripts(t *testing.T) {
	games, turns, invalid := 0, 0, 0
	for in := lines(t, "codingame-transcripts.jsonl.gz"); in.More(); games++ {
		var g struct {
			ID     int
			Plies  int
			Scores [2]int
			Turns  []struct {
				Player int
				In     []string
				Out    string
			}
		}
		if err := in.Decode(&g); err != nil {
			t.Fatal(err)
		}
		var s State
		legalEnd := true
		for i, turn := range g.Turns {
			block := turn.In
			if i < 2 {
				block = block[1:]
			}
			if i == 0 {
				s = parse(t, strings.Join(turn.In, "\n"))
			}
			if got, want := strings.TrimSpace(s.InputBlock()), strings.Join(block, "\n"); got != want {
				t.Fatalf("game %d turn %d: our block\n%s\nthe referee's\n%s", g.ID, i, got, want)
			}
			if read := parse(t, strings.Join(append([]string{strconv.Itoa(turn.Player)}, block...), "\n")); read.String()[:40] != s.String()[:40] {
				t.Fatalf("game %d turn %d: the block is read as %s, want %s", g.ID, i, read, s)
			}
			turns++
			a, ok := judge(s, turn.Out)
			if !ok {
				invalid++
				legalEnd = false
				if i != len(g.Turns)-1 {
					t.Fatalf("game %d turn %d: the referee accepted %q, we do not", g.ID, i, turn.Out)
				}
				if g.Scores[turn.Player] >= g.Scores[1-turn.Player] {
					t.Fatalf("game %d: %q is invalid to us, but its player has scores %v", g.ID, turn.Out, g.Scores)
				}
				break
			}
			s = s.Play(a)
		}
		if !legalEnd {
			continue
		}
		want := map[[2]int]engine.Outcome{{1, 0}: engine.FirstWins, {0, 1}: engine.SecondWins, {0, 0}: engine.Draw}[g.Scores]
		if s.Outcome() != want {
			t.Errorf("game %d ends as %v at %s, the referee's scores are %v", g.ID, s.Outcome(), s, g.Scores)
		}
	}
	if games != 109 || turns < 3800 || invalid == 0 {
		t.Errorf("%d games, %d turns, %d invalid answers: the transcripts are not all there", games, turns, invalid)
	}
}

// judge is the referee: the action that a line names, if it accepts it.
func judge(s State, line string) (engine.Action, bool) {
	m := answer.FindStringSubmatch(line)
	if m == nil {
		return 0, false
	}
	id, err := strconv.Atoi(m[1])
	if err != nil {
		return 0, false
	}
	a, err := engine.ParseAction(engine.Forget(s), strconv.Itoa(id)+" "+strings.ToUpper(m[2]))
	return a, err == nil
}

func TestDeals(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(unzip(t, "codingame-seeds.csv.gz"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows = rows[1:]
	if testing.Short() {
		rows = rows[:200]
	}
	for _, r := range rows {
		seed, err := strconv.ParseInt(r[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		want := "bbBbb/...../...../...../wwWww 0 " + r[1] + "," + r[2] + " " + r[3] + "," + r[4] + " " + r[5] + " 0"
		if got := Deal(seed).String(); got != want {
			t.Errorf("Deal(%d) = %s, want %s", seed, got, want)
		}
	}
}

// Solved positions: the moves listed are the legal ones, and every short win
// or loss is found, neither sooner nor later than it should be.
func TestSolvedPositions(t *testing.T) {
	for _, name := range []string{"solved6-2_9_11_14_15", "solved6-8_6_0_12_9", "solved8-8_6_0_12_9", "tactics10"} {
		positions, distances := 0, 0
		for in := lines(t, name+".jsonl.gz"); in.More(); positions++ {
			var v struct {
				Pos   string
				Moves map[string]string
			}
			if err := in.Decode(&v); err != nil {
				t.Fatal(err)
			}
			s := parse(t, v.Pos)
			legal := s.Legal(nil)
			if len(legal) != len(v.Moves) {
				t.Fatalf("%s has %d legal actions, want %d", v.Pos, len(legal), len(v.Moves))
			}
			for _, a := range legal {
				value, ok := v.Moves[s.ActionString(a)]
				if !ok {
					t.Fatalf("%s: %s is not an action there", v.Pos, s.ActionString(a))
				}
				n, err := strconv.Atoi(strings.TrimLeft(value, "WLD?"))
				if err != nil || n > 4 {
					continue
				}
				next := s.Play(a)
				var now, before bool
				if value[0] == 'W' { // the other player is lost in n-1
					now, before = next.lost(n-1), n > 2 && next.lost(n-3)
				} else {
					now, before = next.won(n-1), n > 2 && next.won(n-3)
				}
				if n == 1 {
					now, before = next.Outcome() == engine.WonBy(s.ToMove()), false
				}
				if !now || before {
					t.Fatalf("%s: %s should be %s; found in time: %v, too soon: %v", v.Pos, s.ActionString(a), value, now, before)
				}
				distances++
			}
		}
		if positions < 700 || distances < 1000 {
			t.Errorf("%s: only %d positions and %d distances", name, positions, distances)
		}
	}
}

// Rule 4.4: exactly these patterns have no move, and both cards can be passed.
func TestPasses(t *testing.T) {
	for _, c := range []struct{ pos, want string }{
		{"w...B/w..../W..../w..../w...b 0 3,15 0,1 2", "3 PASS, 15 PASS"},
		{"B...w/....w/....W/....w/b...w 0 7,15 0,1 2", "7 PASS, 15 PASS"},
		{"wwwww/.B.../..b../...../..... 0 4,6 0,1 2", "an error"},
		{"wwwwW/.B.../..b../...../..... 0 4,13 0,1 2", "4 PASS, 13 PASS"},
		{"B...w/....w/....W/....w/b...w 0 7,6 0,1 2", "moves"},
		{"W..../w...B/w...b/w..../w.... 1 0,1 2,5 9", "moves"},
	} {
		s, err := Parse(c.pos)
		if c.want == "an error" {
			if err == nil && s.Outcome() == engine.Ongoing {
				t.Errorf("%s has no master of player 0 and goes on", c.pos)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range s.Legal(nil) {
			names = append(names, s.ActionString(a))
		}
		got := strings.Join(names, ", ")
		if c.want == "moves" {
			if strings.Contains(got, "PASS") || got == "" {
				t.Errorf("%s: %s", c.pos, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.pos, got, c.want)
			continue
		}
		next := s.Play(s.Legal(nil)[0])
		if next.theirs != rotate(s.mine) || next.hand[centre] != s.hand[0] || next.hand[2] != s.hand[1] || next.hand[3] != s.hand[centre] {
			t.Errorf("%s: passing with the first card leads to %s", c.pos, next)
		}
	}
}

// Rule 5: the two hundredth action ends the game, unless it wins.
func TestTurnLimit(t *testing.T) {
	s := parse(t, "bbBbb/...../...../...../wwWww 0 8,6 0,12 9 199")
	if got := s.Play(s.Legal(nil)[0]).Outcome(); got != engine.Draw {
		t.Errorf("the 200th action gives %v, want a draw", got)
	}
	s = parse(t, "..b../..W../...../...../B.... 0 4,6 0,12 9 199")
	a, err := engine.ParseAction(engine.Forget(s), "4 C4C5")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Play(a).Outcome(); got != engine.FirstWins {
		t.Errorf("reaching the shrine with the 200th action gives %v", got)
	}
}

func TestParseMistakes(t *testing.T) {
	const good = "bbBbb/...../...../...../wwWww 0 8,6 0,12 9 17"
	for _, c := range []struct{ from, to, says string }{
		{"bbBbb/", "", "4 rows"},
		{"bbBbb", "bbBb", "row 5"},
		{"wwWww", "wwWwx", "E1"},
		{"wwWww", "wwWWw", "two masters"},
		{"...../...../", "wwwww/...../", "6 men"},
		{" 0 8,6", " 2 8,6", "side to move"},
		{"8,6", "8", "1 cards"},
		{"8,6", "8,16", "hand of player 0"},
		{"8,6", "8,8", "twice"},
		{"0,12", "0,x", "hand of player 1"},
		{" 9 ", " ", "twice"},
		{"17", "201", "actions played"},
		{"17", "-1", "actions played"},
		{"17", "17 3", "7 fields"},
		{"bbBbb/...../...../...../wwWww", "bbbbb/...../...../...../wwwww", "no master"},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if c.from == " 9 " {
			text = strings.Replace(good, " 9 17", " 8 17", 1)
		}
		if s, err := Parse(text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Parse(%q) = %s, %v; want an error with %q", text, s, err, c.says)
		}
	}
	if _, err := Parse(good); err != nil {
		t.Error(err)
	}
}

// The protocol reads a whole dialogue, counts the turns, and says what is
// wrong with a question.
func TestCodinGameReader(t *testing.T) {
	s := parse(t, "bbBbb/...../...../...../wwWww 0 8,6 0,12 9")
	var text strings.Builder
	text.WriteString("1\n")
	var want []string
	for range 6 {
		s = s.Play(s.Legal(nil)[0])
		if s.ToMove() == engine.Second {
			text.WriteString(s.InputBlock())
			want = append(want, s.String())
		}
	}
	read := codinGame(bufio.NewReader(strings.NewReader(text.String())))
	for _, w := range want {
		p, err := read()
		if err != nil || p.String() != w {
			t.Fatalf("read %v, %v; want %s", p, err, w)
		}
	}
	if _, err := read(); err != io.EOF {
		t.Errorf("after the last question: %v, want EOF", err)
	}
	for _, bad := range []string{"2\n", "x\n", "0\nbbBbb\n", strings.Replace(text.String(), "PASS", "", 1)[:60],
		strings.Replace(text.String(), "0 6 -2 0", "0 99 -2 0", 1)} {
		if _, err := codinGame(bufio.NewReader(strings.NewReader(bad)))(); err == nil || err == io.EOF {
			t.Errorf("%q was read: %v", bad, err)
		}
	}
}

func BenchmarkPerft(b *testing.B) {
	s := parse(b, "bbBbb/...../...../...../wwWww 0 8,6 0,12 9")
	n := 0
	for b.Loop() {
		n += engine.Perft(s, 5)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "nodes/s")
}

func BenchmarkEncode(b *testing.B) {
	s := parse(b, "bbBbb/...../...../...../wwWww 0 8,6 0,12 9")
	planes := make([]float32, Classic.Planes.Size())
	for b.Loop() {
		s.Encode(planes)
	}
}
