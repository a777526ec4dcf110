package othello

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
)

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// positions returns positions from random games.
func positions(t *testing.T, n int) []State {
	t.Helper()
	all, err := Rules.RandomPositions(n, random())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// named returns the names of a position's active features that begin with the given words.
func named(s State, words string) (names []string) {
	for _, f := range s.Features(nil) {
		if rest, ok := strings.CutPrefix(feat.groups.NameOf(f), words+" "); ok {
			names = append(names, rest)
		}
	}
	return names
}

// Each stable disc stays in place and keeps its colour until the end of the game.
func TestStableDiscsStay(t *testing.T) {
	rng, seen := random(), 0
	for range 300 {
		for s := begin; s.Outcome() == engine.Ongoing; {
			lines := full(^(s.mine | s.theirs))
			mine, theirs := stable(s.mine, &lines), stable(s.theirs, &lines)
			legal := s.Legal(nil)
			next := s.Play(legal[rng.IntN(len(legal))])
			if mine&^next.theirs != 0 || theirs&^next.mine != 0 {
				t.Fatalf("a stable disc turns between %s and %s", s, next)
			}
			seen += count(mine | theirs)
			s = next
		}
	}
	if seen < 10_000 {
		t.Errorf("only %d stable discs were seen", seen)
	}
}

// In these positions, exactly these discs are stable.
func TestStable(t *testing.T) {
	for text, want := range map[string][2]string{
		"......../......../......../...ox.../...xo.../......../......../........ first": {"", ""},
		// An edge that begins at a corner.
		"xxo...../......../......../...ox.../...xo.../......../......../........ first": {"a1 b1", ""},
		// A full edge, and a triangle at a corner.
		"ooxxoxoo/oo....../o......./...ox.../...xo.../......../......../........ second": {"a1 b1 e1 g1 h1 a2 b2 a3", "c1 d1 f1"},
	} {
		s, err := Rules.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if mine, theirs := strings.Join(named(s, "my stable disc on"), " "), strings.Join(named(s, "their stable disc on"), " "); mine != want[0] || theirs != want[1] {
			t.Errorf("%s: stable are %q and %q, want %q", text, mine, theirs, want)
		}
	}
}

// full finds the lines without an empty cell that a search cell by cell finds.
func TestFullLines(t *testing.T) {
	for _, s := range positions(t, 2000) {
		empty := ^(s.mine | s.theirs)
		got := full(empty)
		for cell := range cells {
			for i, step := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
				want := true
				for _, way := range []int{-1, 1} {
					for x, y := cell%side, cell/side; min(x, y) >= 0 && max(x, y) < side; x, y = x+way*step[0], y+way*step[1] {
						want = want && empty>>(side*y+x)&1 == 0
					}
				}
				if got[i]>>cell&1 == 1 != want {
					t.Fatalf("%s: line %d through %s is full: %v, want %v", s, i, cellName(cell), !want, want)
				}
			}
		}
	}
}

// The features of patterns have the contents of the cells, read from the text of the position.
func TestPatterns(t *testing.T) {
	patterns := map[string]string{
		"corner a1": "a1 b1 a2 b2", "row from a1": "a1 b1 c1 d1", "column from a1": "a1 a2 a3 a4",
		"corner h1": "h1 g1 h2 g2", "row from h1": "h1 g1 f1 e1", "column from h1": "h1 h2 h3 h4",
		"corner a8": "a8 b8 a7 b7", "row from a8": "a8 b8 c8 d8", "column from a8": "a8 a7 a6 a5",
		"corner h8": "h8 g8 h7 g7", "row from h8": "h8 g8 f8 e8", "column from h8": "h8 h7 h6 h5",
	}
	for _, s := range positions(t, 1000) {
		contents := strings.NewReplacer("x", "x", "o", "o")
		if s.mover == engine.Second {
			contents = strings.NewReplacer("x", "o", "o", "x")
		}
		rows := strings.Split(s.String(), "/")
		for name, list := range patterns {
			want := ""
			for _, cell := range strings.Fields(list) {
				want += rows[cell[1]-'1'][cell[0]-'a' : cell[0]-'a'+1]
			}
			if got := named(s, name); !slices.Equal(got, []string{contents.Replace(want)}) {
				t.Fatalf("%s: %s has %q, want %q", s, name, got, contents.Replace(want))
			}
		}
	}
}

// In one position, the other groups have exactly these features.
func TestNamedFeatures(t *testing.T) {
	s, err := Rules.Parse("......../.o....../..o...../...xx.../...xo.../......../......../........ first")
	if err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string][]string{
		"my disc on":                 {"d4", "e4", "d5"},
		"their disc on":              {"b2", "c3", "e5"},
		"I can play":                 {"a1", "f5", "e6", "f6"},
		"they could play":            {"e3", "c5"},
		"odd number of empty cells:": {"quarter a1", "quarter h1", "quarter a8", "quarter h8"},
		"my frontier":                {"2 to 3"},
		"their frontier":             {"2 to 3"},
		"empty cells":                {"55 or more"},
		"lead in discs":              {"0"},
	} {
		if got := named(s, words); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
}

// In these positions, the actions have these features, which were counted by hand.
func TestActionFeatures(t *testing.T) {
	const noChange, opens, closes = 0, 1, 2
	type effect struct {
		moves, access     int // ranges and values as in the comment on openedFirst
		open, turned, odd int
	}
	for text, want := range map[string]map[string]effect{
		"......../.o....../..o...../...xx.../...xo.../......../......../........ first": {
			"a1": {2, noChange, 10, 2, 1}, "f5": {1, noChange, 4, 1, 1}, "e6": {1, noChange, 4, 1, 1}, "f6": {1, noChange, 4, 1, 1},
		},
		// White can play on a1 after b2, because e5 encloses three black discs.
		"......../......../..o...../...xo.../...xo.../......../......../........ first": {"b2": {5, opens, 6, 1, 0}},
		// After e6, e5 is black, and White can no longer play on a1.
		"......../.x....../..x...../...xx.../...xo.../......../......../........ first": {"e6": {0, closes, 4, 1, 1}},
	} {
		s, err := Rules.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		legal := s.Legal(nil)
		features := s.ActionFeatures(legal, nil)
		for i, a := range legal {
			e, ok := want[s.ActionString(a)]
			first := 3*int(mobility[e.moves]) + e.access
			second := openedFirst + 8*int(openness[e.open]) + 2*int(turned[e.turned]) + e.odd
			if got := features[i]; ok && int(got) != first {
				t.Errorf("%s: %s has the first feature %d, want %d", text, s.ActionString(a), got, first)
			}
			if got := features[len(legal)+i]; ok && int(got) != second {
				t.Errorf("%s: %s has the second feature %d, want %d", text, s.ActionString(a), got, second)
			}
			delete(want, s.ActionString(a))
		}
		if len(want) > 0 {
			t.Errorf("%s: these actions are not legal: %v", text, want)
		}
	}
}
