package oanquan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
)

func TestLaws(t *testing.T) {
	enginetest.Run(t, Rules, turned)
	enginetest.Run(t, New("traditional", Traditional), turned)
}

func FuzzPlay(f *testing.F) { enginetest.Fuzz(f, Rules) }

// turned returns the position with the ring turned over (section 1).
func turned(_ int, s State) State {
	board := s.board
	for f, n := range board {
		s.board[(6-f+fields)%fields] = n
	}
	s.big[0], s.big[1] = s.big[1], s.big[0]
	return s
}

// If the board is rotated by six fields and the players are exchanged, the network input stays the
// same.
func TestSidesAreAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	here, there := make([]float32, Rules.Planes.Size()), make([]float32, Rules.Planes.Size())
	for range 200 {
		s := Rules.Start(rng)
		o := s
		for f, n := range s.board {
			o.board[(f+6)%fields] = n
		}
		o.big[0], o.big[1], o.scores[0], o.scores[1], o.seat = s.big[1], s.big[0], s.scores[1], s.scores[0], 1-s.seat
		s.Encode(here)
		o.Encode(there)
		if !slices.Equal(here, there) || !slices.Equal(s.Legal(nil), o.Legal(nil)) {
			t.Fatalf("%s and %s look different", s, o)
		}
	}
}

// record is one game in the test data.
type record struct {
	Tags  []string
	Rules string
	Start struct {
		Board  [fields]uint8
		Scores [2]int16
		Player uint8
	}
	Plies []struct {
		M       [2]int
		Refused bool
		Gain    int
		Board   [fields]uint8
		Big     []int
		Scores  [2]int16
		Next    uint8
		End     bool
	}
	Result string
	Final  []int
}

// uncapped returns the options of the named variant in the test data, without a ply limit.
func uncapped(name string) Options {
	opt := Default
	switch name {
	case "traditional":
		opt = Traditional
	case "borrow":
		opt.Borrow = true
	case "seed-mover":
		opt.EndMover = true
	}
	opt.MaxPlies = 0
	return opt
}

func name(m [2]int) string {
	return fmt.Sprintf("%d%s", m[0], map[int]string{1: "+", -1: "-"}[m[1]])
}

// The test replays recorded games. After every ply it compares the board, the scores, the big
// stones, the player to move and whether the game is over.
func TestGames(t *testing.T) {
	for _, file := range []string{"canon-seed", "canon-borrow", "canon-traditional", "canon-seed-mover", "canon-after-stuck",
		"seed-java-random", "seed-java-mixed", "seed-java-greedy", "seed-java-rare", "seed-java-edge"} {
		plies := 0
		for i, g := range enginetest.Vectors[record](t, file+".jsonl.gz") {
			if slices.Contains(g.Tags, "java-only") || slices.Contains(g.Tags, "java-defect") {
				continue // leave out games in which the original program is wrong (section 5, A13 to A15)
			}
			if slices.Contains(g.Tags, "stuck") {
				g.Plies = g.Plies[:len(g.Plies)-1] // leave out the last ply, which the original program plays wrongly (A13)
			}
			opt := uncapped(g.Rules)
			s := State{board: g.Start.Board, scores: g.Start.Scores, seat: g.Start.Player - 1, opt: opt, big: [2]bool{true, true}}
			for n, p := range g.Plies {
				a, err := s.ReadAction(name(p.M))
				if p.Refused {
					if err == nil {
						t.Fatalf("%s game %d ply %d: %s should be refused in %s", file, i, n, name(p.M), s)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s game %d ply %d: %v", file, i, n, err)
				}
				mover, before := s.seat, s.scores
				s = s.Play(a)
				over := s.Outcome() != engine.Ongoing
				if s.board != p.Board || s.scores != p.Scores || over != p.End || !over && s.seat != p.Next-1 {
					t.Fatalf("%s game %d ply %d: %s gives %s, over: %v; want %v %v, next %d, over: %v", file, i, n, name(p.M), s, over, p.Board, p.Scores, p.Next, p.End)
				}
				if p.Big != nil && s.big != [2]bool{p.Big[0] == 1, p.Big[1] == 1} {
					t.Fatalf("%s game %d ply %d: big stones %v, want %v", file, i, n, s.big, p.Big)
				}
				if got := int(s.scores[mover] - before[mover]); got != p.Gain {
					t.Fatalf("%s game %d ply %d: gain %d, want %d", file, i, n, got, p.Gain)
				}
				plies++
			}
			if first, second := s.Score(); g.Final != nil && (second != g.Final[0] || first != g.Final[1]) {
				t.Errorf("%s game %d ends with %d for player 1 and %d for player 2, want %v", file, i, second, first, g.Final)
			}
		}
		t.Logf("%s: %d plies", file, plies)
		if plies < 90 {
			t.Errorf("%s: only %d plies", file, plies)
		}
	}
}

// At most six plies before the ply limit, a full search must find the exact margin (the mover's
// lead at the end) that the test data give for each action.
func TestCap(t *testing.T) {
	checked := 0
	for _, v := range enginetest.Vectors[struct {
		ID     string
		Rules  string
		Board  [fields]uint8
		Scores [2]int16
		Player uint8
		Left   uint16 `json:"plies_left"`
		Value  int
		Big    []int
		Moves  []struct {
			M     [2]int
			Value int
		}
	}](t, "deep-cap.jsonl.gz") {
		if v.Left > 6 {
			continue
		}
		opt := uncapped(v.Rules)
		opt.MaxPlies = 200
		s := State{board: v.Board, scores: v.Scores, seat: v.Player - 1, plies: 200 - v.Left, opt: opt, big: [2]bool{true, true}}
		if v.Big != nil {
			s.big = [2]bool{v.Big[0] == 1, v.Big[1] == 1}
		}
		if len(v.Moves) != len(s.Legal(nil)) {
			t.Fatalf("%s: %d legal actions, want %d", v.ID, len(s.Legal(nil)), len(v.Moves))
		}
		for _, m := range v.Moves {
			a, err := s.ReadAction(name(m.M))
			if err != nil {
				t.Fatal(err)
			}
			if got := margin(s.Play(a)) * int(s.ToMove().Sign()); got != m.Value {
				t.Errorf("%s: %s is worth %d, want %d", v.ID, name(m.M), got, m.Value)
			}
			checked++
		}
	}
	if checked < 300 {
		t.Errorf("only %d actions were checked", checked)
	}
}

// margin returns First's lead at the end of the game if both players play perfectly until the ply
// limit.
func margin(s State) int {
	if s.Outcome() != engine.Ongoing {
		return engine.HeuristicOf(s)
	}
	sign := int(s.ToMove().Sign())
	best := -1000
	for _, a := range s.Legal(nil) {
		best = max(best, sign*margin(s.Play(a)))
	}
	return sign * best
}

// Section 4 describes two games that would repeat the same cycle forever. The ply limit must end
// each of them.
func TestCapEndsCycles(t *testing.T) {
	s, err := Rules.Parse("2,1,1,1,1,1,0,2,0,2,0,1 29,29 1 00")
	if err != nil {
		t.Fatal(err)
	}
	for s.Outcome() == engine.Ongoing {
		s = s.Play(s.Legal(nil)[0])
	}
	if s.plies > 200 {
		t.Errorf("the game went on for %d plies", s.plies)
	}
}

// These hand-written cases test the options A2, A4 and A8.
func TestOptions(t *testing.T) {
	play := func(change func(*Options), text, action string) State {
		t.Helper()
		opt := uncapped("seed")
		change(&opt)
		s, err := parse(opt, text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.ReadAction(action)
		if err != nil {
			t.Fatal(err)
		}
		return s.Play(a)
	}
	// The last stone of field 4 is sown into field 5. The next field, 6, is an empty king field,
	// and field 7 after it has seven stones. The player captures them unless EmptyKingStops is set.
	over := "10,5,5,5,1,0,0,7,5,5,5,5 7,10 1 10"
	if s := play(func(*Options) {}, over, "4+"); s.scores[0] != 14 {
		t.Errorf("A2: an empty king field is captured over: %s", s)
	}
	if s := play(func(o *Options) { o.EmptyKingStops = true }, over, "4+"); s.scores[0] != 7 {
		t.Errorf("A2: an empty king field ends the turn: %s", s)
	}
	// The last stone of field 9 is sown into field 10. The next field, 11, is empty, and the field
	// after it is king field 0 with its big stone and two small stones. The player captures the
	// king field if YoungKing is at most 2.
	young := "12,5,5,5,5,5,10,5,5,1,0,0 7,5 2 11"
	for least, want := range map[uint8]int16{0: 17, 2: 17, 3: 5, 5: 5} {
		if s := play(func(o *Options) { o.YoungKing = least }, young, "9+"); s.scores[1] != want || s.big[0] != (want == 5) {
			t.Errorf("A4: below %d a king cannot be taken: %s, want a score of %d", least, s, want)
		}
	}
	last := "30,5,5,5,5,6,10,0,0,0,0,1 1,2 2 11" // the action 11+ leaves player 2's side empty
	if s := play(func(*Options) {}, last, "11+"); s.Outcome() != engine.FirstWins && s.Outcome() != engine.SecondWins {
		t.Errorf("A9: an empty side with two points ends the game at once: %s", s)
	}
	if s := play(func(o *Options) { o.EndMover = true }, last, "11+"); s.Outcome() != engine.Ongoing {
		t.Errorf("A9: not if the other is to move: %s", s)
	}
	if s := play(func(o *Options) { o.Borrow = true }, last, "11+"); s.Outcome() != engine.Ongoing {
		t.Errorf("A8: who can borrow plays on: %s", s)
	}
}

func TestParseMistakes(t *testing.T) {
	const good = "10,5,5,5,5,5,10,5,5,5,5,5 0,0 2 11 0"
	for _, c := range []struct{ from, to, says string }{
		{"10,5,5,5,5,5,10", "10,5,5,5,5,10", "not a list of 12 numbers"},
		{"10,5", "x,5", "board"},
		{" 0,0", " 0", "scores"},
		{" 0,0", " 1,0", "add up to 71"},
		{" 2 ", " 3 ", "mover"},
		{"11", "12", "kings"},
		{" 0,0 2 11 0", " 0,0 2 11 201", "plies"},
		{" 0,0 2 11 0", " 0,0 2 11 0 0", "has 6 parts"},
		{"10,5,5,5,5,5,10,5,5,5,5,5 0,0", "9,5,5,5,5,5,10,5,5,5,5,5 0,1", "big stone"},
		{"10,5,5,5,5,5,10,5,5,5,5,5 0,0", "10,5,5,5,5,5,10,0,0,0,0,0 0,25", "refill"},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if s, err := Rules.Parse(text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Parse(%q) = %s, %v; want an error with %q", text, s, err, c.says)
		}
	}
	// These positions are errors: a field can hold at most 255 stones, and a score can be negative
	// only if the option borrow is on.
	for _, c := range []struct {
		rules engine.Rules[State]
		text  string
		says  string
	}{
		{Rules, "15,5,5,5,5,5,10,5,5,5,5,5 -5,0 2", "scores"},
		{New("borrow", Traditional), "255,5,5,5,5,5,10,5,5,5,5,5 -245,0 2", "scores"},
		{New("borrow", Traditional), "255,5,5,5,5,5,10,5,5,5,5,5 -130,-115 2", "the board has 315 stones, but at most 200"},
	} {
		if s, err := c.rules.Parse(c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Parse(%q) = %s, %v; want an error with %q", c.text, s, err, c.says)
		}
	}
	if _, err := New("borrow", Traditional).Parse("15,5,5,5,5,5,10,5,5,5,5,5 -5,0 2"); err != nil {
		t.Errorf("a debt where one can borrow: %v", err)
	}
	for _, text := range []string{good, "[10, 5, 5, 5, 5, 5, 10, 5, 5, 5, 5, 5] 0,0 2"} {
		if s, err := Rules.Parse(text); err != nil || s != begin(Default) {
			t.Errorf("Parse(%q) = %s, %v", text, s, err)
		}
	}
}

// Deals differ from each other, and half of them are balanced openings.
func TestDeals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	seen := map[State]int{}
	for range 2000 {
		seen[Rules.Start(rng)]++
	}
	if len(seen) < 300 {
		t.Errorf("only %d different openings in 2000 deals", len(seen))
	}
}

// Perft must return these counts. For the game of the original document, they were confirmed by an
// independent program written only from the rules.
func TestPerft(t *testing.T) {
	for _, c := range []struct {
		opt   Options
		nodes []int
	}{
		{Default, []int{1, 10, 80, 664, 5128, 38460, 277656, 1982196}},
		{Traditional, []int{1, 10, 80, 668, 5188, 39128, 285324, 2045884}},
	} {
		for depth, want := range c.nodes {
			if got := engine.Perft(begin(c.opt), depth); got != want {
				t.Errorf("%+v at depth %d: %d, want %d", c.opt, depth, got, want)
			}
		}
	}
}

func BenchmarkPerft(b *testing.B) {
	s := begin(Default)
	n := 0
	for b.Loop() {
		n += engine.Perft(s, 6)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "nodes/s")
}

func TestGolden(t *testing.T) { enginetest.Golden(t, Rules, 1) }
