package arena

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/connectfour"
)

// Lines of words have the actions that lead to a position, its result, and the actions that keep
// it.
func TestLinesOfWords(t *testing.T) {
	const text = "13712 1 abcf 7\n216634 0 d 7\n226763 -1 abcdefg 7\n"
	set, err := ReadProblems(t.Context(), connectfour.Rules.Game(), "L1.keep", strings.NewReader(text), nil)
	if err != nil || len(set.Problems) != 2 || set.Even != 1 || set.Unknown != 0 {
		t.Fatalf("%+v, %v; want two problems and one even position", set, err)
	}
	for i, want := range []struct {
		value byte
		keep  string
	}{{'W', "abcf"}, {'D', "d"}} {
		p := set.Problems[i]
		if got := keepNames(p); p.Value != want.value || got != want.keep {
			t.Errorf("position %d has the value %c and %q keep it, want %c and %q", i+1, p.Value, got, want.value, want.keep)
		}
	}
	if want := "......./......./......./......./o....../xxo...x"; set.Problems[0].Position.String() != want {
		t.Errorf("13712 leads to %s, want %s", set.Problems[0].Position, want)
	}
}

// keepNames returns the names of the actions that keep the value, in increasing order.
func keepNames(p Problem) (names string) {
	for _, a := range p.Position.Legal(nil) {
		if p.Keep[a] {
			names += p.Position.ActionString(a)
		}
	}
	return names
}

// For lines with a score, the judge gets the position and the sign of the score.
func TestJudge(t *testing.T) {
	var asked []int
	judge := func(p engine.Position, result int) ([]engine.Action, error) {
		if asked = append(asked, result); result < 0 {
			return p.Legal(nil), nil
		}
		return []engine.Action{3}, nil
	}
	set, err := ReadProblems(t.Context(), connectfour.Rules.Game(), "L1.txt", strings.NewReader("13712 3\n226763 -2\n216634 0\n"), judge)
	if err != nil || len(set.Problems) != 2 || set.Even != 1 || !slices.Equal(asked, []int{1, -1, 0}) {
		t.Fatalf("%+v, %v, asked about %v", set, err, asked)
	}
	if got := keepNames(set.Problems[0]); got != "d" || set.Problems[0].Value != 'W' || set.Problems[1].Value != 'D' {
		t.Errorf("%+v, want d to keep a win and a draw", set.Problems)
	}
	stopped := errors.New("stopped")
	_, err = ReadProblems(t.Context(), connectfour.Rules.Game(), "L1.txt", strings.NewReader("13712 3\n"), func(engine.Position, int) ([]engine.Action, error) { return nil, stopped })
	if !errors.Is(err, stopped) {
		t.Errorf("the error of the judge is lost: %v", err)
	}
}

func TestWrongWords(t *testing.T) {
	for line, want := range map[string]string{
		"13712":            "two or four words",
		"13712 1 abcf":     "two or four words",
		"13812 1 abcf 7":   `is not a column`,
		"1212121 1 a 7":    "the game is over after the actions 1212121",
		"13712 x abcf 7":   `the result "x" is not a whole number`,
		"13712 1 abcx 7":   `"x" is not a column`,
		"13712 1 abcf 6":   "6 actions are legal, but 7 are",
		"13712 3":          "nothing can find the actions that keep it in connectfour",
		"111111 1 a 6":     "column a is full",
		"13712 1 abcf 7 8": "two or four words",
	} {
		_, err := ReadProblems(t.Context(), connectfour.Rules.Game(), "bad.keep", strings.NewReader(line+"\n"), nil)
		if err == nil || !strings.Contains(err.Error(), "bad.keep line 1: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", line, err, want)
		}
	}
}

// The interval of Share contains the shares s for which k is within 1.96 standard deviations of
// n·s.
func TestShare(t *testing.T) {
	for _, c := range []struct{ k, n int }{{0, 500}, {1, 500}, {39, 500}, {50, 100}, {7, 7}} {
		share, low, high := Share(c.k, c.n)
		if want := float64(c.k) / float64(c.n); share != want || low > share || high < share {
			t.Errorf("%d of %d: share %v from %v to %v, want %v", c.k, c.n, share, low, high, want)
		}
		for _, s := range []float64{low, high} {
			deviation := math.Abs(share-s) / math.Sqrt(s*(1-s)/float64(c.n))
			if s > 0 && s < 1 && math.Abs(deviation-z) > 1e-6 {
				t.Errorf("%d of %d: the bound %v is %v standard deviations away, want %v", c.k, c.n, s, deviation, z)
			}
		}
	}
	if share, low, high := Share(0, 0); share != 0 || low != 0 || high != 1 {
		t.Errorf("without trials: %v from %v to %v, want 0 from 0 to 1", share, low, high)
	}
}
