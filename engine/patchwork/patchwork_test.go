package patchwork

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
)

func TestLaws(t *testing.T) {
	enginetest.Run(t, Rules, reoriented)
	enginetest.Run(t, New("seven", true), reoriented)
}

// reoriented returns the position with the opponent's quilt turned or mirrored by symmetry i.
func reoriented(i int, s State) State {
	var q quilt
	for cell := range cells {
		if s.quilts[1-s.seat].has(cell) {
			q = q.or(bit(image(cell, i+1)))
		}
	}
	s.quilts[1-s.seat] = q
	return s
}

func FuzzPlay(f *testing.F) { enginetest.Fuzz(f, Rules) }

func TestGolden(t *testing.T) { enginetest.Golden(t, Rules, 1) }

// The orientations of every patch agree with the rules P3 and P4, cell by cell.
func TestOrientations(t *testing.T) {
	text, err := os.ReadFile("testdata/orientations.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Orientations map[string]map[string]struct{ Cells [][2]int }
		Distinct     map[string]string
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Orientations) < patches {
		t.Fatalf("only %d patches", len(v.Orientations))
	}
	for letter, byName := range v.Orientations {
		p := &pieces[strings.IndexByte(letters, letter[0])]
		distinct := ""
		for o := range orientations {
			if p.shapes[o].same == o {
				distinct += letters[o : o+1]
			}
			want, ok := byName[letters[o:o+1]]
			if !ok {
				continue
			}
			var q quilt
			for _, c := range want.Cells {
				q = q.or(bit(c[0]*side + c[1]))
			}
			if p.shapes[o].mask != q {
				t.Errorf("patch %s in orientation %c has other cells than %v", letter, letters[o], want.Cells)
			}
		}
		if d, ok := v.Distinct[letter]; ok && d != distinct {
			t.Errorf("patch %s has distinct orientations %s, want %s", letter, distinct, d)
		}
	}
}

// The test replays recorded games and compares the position after each action.
func TestGames(t *testing.T) {
	games := enginetest.Vectors[struct {
		Circle, Placement string
		Steps             []struct {
			Move        string
			Time        [2]uint8
			Buttons     [2]int16
			Income      [2]uint8
			Special     int
			Mover       int
			Next3       string
			Left, Legal int
		}
		Score  [2]int
		Winner int
		First  int `json:"first_to_finish"`
	}](t, "games.jsonl.gz")
	for i, g := range games {
		s, err := Rules.Parse(record(g.Circle, ""))
		if err != nil {
			t.Fatal(err)
		}
		for n, step := range g.Steps {
			if legal := s.Legal(nil); len(legal) != step.Legal {
				t.Fatalf("game %d action %d: %d legal actions in %s, want %d", i, n, len(legal), s, step.Legal)
			}
			a, err := s.ReadAction(step.Move)
			if err != nil {
				t.Fatalf("game %d action %d: %v", i, n, err)
			}
			if got := s.ActionString(a); got != step.Move {
				t.Fatalf("game %d action %d: %s is printed as %s", i, n, step.Move, got)
			}
			s = s.Play(a)
			next := ""
			for _, p := range s.circle[:min(offers, int(s.left))] {
				next += letters[p : p+1]
			}
			over := s.Outcome() != engine.Ongoing
			if s.time != step.Time || s.buttons != step.Buttons || s.income != step.Income || s.pending != (step.Special != 0) ||
				!over && int(s.seat)+1 != step.Mover || next != step.Next3 || int(s.left) != step.Left {
				t.Fatalf("game %d action %d: %s gives %s, want %+v", i, n, step.Move, s, step)
			}
		}
		a, b := s.Score()
		if a != g.Score[0] || b != g.Score[1] || s.Outcome() != engine.WonBy(engine.Player(g.Winner-1)) || int(s.first) != g.First {
			t.Errorf("game %d ends %d:%d, %v, first %d; want %v, winner %d, first %d", i, a, b, s.Outcome(), s.first, g.Score, g.Winner, g.First)
		}
		if whole, err := Rules.Parse(g.Circle + " " + g.Placement); err != nil || whole != s {
			t.Errorf("game %d: the record is read as %s, %v", i, whole, err)
		}
	}
	if len(games) != 240 {
		t.Errorf("%d games, want 240", len(games))
	}
}

func record(circle, placement string) string {
	if placement == "" {
		return circle
	}
	return circle + " " + placement
}

func TestLegal(t *testing.T) {
	most := 0
	for i, v := range enginetest.Vectors[struct {
		Circle, Placement string
		Legal             []string
		N                 int
		Next, Pend        int
	}](t, "legal.jsonl.gz") {
		s, err := Rules.Parse(record(v.Circle, v.Placement))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range s.Legal(nil) {
			names = append(names, s.ActionString(a))
		}
		slices.Sort(names)
		slices.Sort(v.Legal)
		if !slices.Equal(names, v.Legal) || v.N > 0 && int(s.seat)+1 != v.Next || s.pending != (v.Pend != 0) {
			t.Fatalf("position %d: %s allows %d actions, want %d", i, s, len(names), v.N)
		}
		most = max(most, len(names))
	}
	if most < 1000 {
		t.Errorf("at most %d actions: the widest positions are missing", most)
	}
}

func TestPerft(t *testing.T) {
	for _, v := range enginetest.Vectors[struct {
		Circle, Placement string
		Perft             []int
	}](t, "perft.jsonl.gz") {
		s, err := Rules.Parse(record(v.Circle, v.Placement))
		if err != nil {
			t.Fatal(err)
		}
		for depth, want := range v.Perft {
			if want > 600_000 && testing.Short() {
				continue
			}
			if got := engine.Perft(s, depth+1); got != want {
				t.Errorf("Perft(%s, %d) = %d, want %d", s, depth+1, got, want)
			}
		}
	}
}

// The parser rejects invalid records. If a single action is invalid, the parser accepts the actions
// before it.
func TestInvalid(t *testing.T) {
	n := 0
	for i, v := range enginetest.Vectors[struct {
		Category, Reason, Circle, Prefix, Bad, Placement string
		At                                               int
	}](t, "invalid.jsonl.gz") {
		s, err := Rules.Parse(record(v.Circle, v.Prefix))
		if err != nil {
			if v.Bad == "" {
				n++
				continue
			}
			t.Errorf("record %d (%s): the good beginning is refused: %v", i, v.Reason, err)
			continue
		}
		n++
		if len(v.Bad) == 4 || v.Bad == "." {
			if a, err := s.ReadAction(v.Bad); err == nil {
				t.Errorf("record %d (%s): %s is accepted as %d in %s", i, v.Reason, v.Bad, a, s)
			}
		}
		if _, err := Rules.Parse(record(v.Circle, v.Placement)); err == nil {
			t.Errorf("record %d (%s): %s is accepted", i, v.Reason, v.Placement)
		}
	}
	if n < 100 {
		t.Errorf("only %d records", n)
	}
}

// The test replays recorded games of the original program, if the file is available.
func TestReferenceGames(t *testing.T) {
	f, err := os.Open("../../../shared/rules/patchwork/recorded/reference.jsonl")
	if err != nil {
		t.Skip("the reference games are not at hand")
	}
	defer f.Close()
	for d := json.NewDecoder(f); d.More(); {
		var v struct {
			Circle, Placement string
			Score             *[2]int
			Bad               *int `json:"first_bad_action"`
		}
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		s, err := Rules.Parse(record(v.Circle, v.Placement))
		if v.Bad == nil && err != nil {
			t.Errorf("%s: %v", v.Placement, err)
		}
		if v.Bad != nil && err == nil {
			t.Errorf("%s is accepted", v.Placement)
		}
		if a, b := s.Score(); v.Bad == nil && v.Score != nil && *v.Score != [2]int{a, b} {
			t.Errorf("%s scores %d:%d, want %v", v.Placement, a, b, *v.Score)
		}
	}
}

// By rule P15, the player who first fills a 7×7 block scores 7 more points.
func TestSevenBySeven(t *testing.T) {
	for _, c := range []struct {
		rows string
		want bool
	}{
		{"7f/7f/7f/7f/7f/7f/7f/0/0", true}, {"0/0/1fc/1fc/1fc/1fc/1fc/1fc/1fc", true}, {"0/fe/fe/fe/fe/fe/fe/fe/0", true},
		{"7f/7f/7f/7f/7f/7f/7e/0/0", false}, {"1f8/7f/7f/7f/7f/7f/7f/0/0", false}, {"1ff/1ff/1ff/1ff/1ff/1ff/3f/1ff/1ff", false},
	} {
		var s State
		var r engine.TextReader
		if s.readPlayer(&r, 0, "0:0:0:"+c.rows); r.Err != nil {
			t.Fatal(r.Err)
		}
		if got := s.quilts[0].block(); got != c.want {
			t.Errorf("%s has a 7×7 block: %v, want %v", c.rows, got, c.want)
		}
	}
}

func TestParseMistakes(t *testing.T) {
	good := begin([]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32}, false).String()
	if s, err := Rules.Parse(good); err != nil || s.String() != good {
		t.Fatal(s, err)
	}
	for _, c := range []struct{ from, to, says string }{
		{"BCD", "BBD", "twice"}, {"BCD", "BhD", "not a patch"}, {" 0:5", " 54:5", "time"}, {"0/0 ", "0 ", "rows"},
		{":0/", ":200/", "nine bits"}, {" 1 0 -", " 3 0 -", "mover"}, {" 1 0 -", " 1 2 -", "special"}, {" 1 0 -", " 1 0 1", "first"}, {" 0:5:0", " 7:5:0", "further back"},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if s, err := Rules.Parse(text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Parse(%q) = %s, %v; want an error with %q", text, s, err, c.says)
		}
	}
}

func BenchmarkLegal(b *testing.B) {
	s, err := Rules.Parse("YGfQENMDAJFZVBKaLPIRHSgTUWdeXCbOc")
	if err != nil {
		b.Fatal(err)
	}
	legal := make([]engine.Action, 0, 2000)
	for b.Loop() {
		legal = s.Legal(legal[:0])
	}
	b.ReportMetric(float64(len(legal)), "actions")
}

func BenchmarkEncode(b *testing.B) {
	s, err := Rules.Parse("YGfQENMDAJFZVBKaLPIRHSgTUWdeXCbOc ZEAABHACaCGGLAED.")
	if err != nil {
		b.Fatal(err)
	}
	planes := make([]float32, Rules.Planes.Size())
	for b.Loop() {
		s.Encode(planes)
	}
}
