package onitama

import (
	"strings"
	"testing"

	"dojo.example/engine"
)

// FuzzParse checks that, for every position Parse accepts, parsing the position's String returns
// the same position.
func FuzzParse(f *testing.F) {
	f.Add("bbBbb/...../...../...../wwWww 0 8,6 0,12 9 17")
	f.Add(opening([handSize]card{8, 6, 0, 12, 9}).InputBlock())
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

// String returns exactly the text that Parse read. If the text does not give the number of actions
// played, Parse assumes 0.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		text    string
		outcome engine.Outcome
	}{
		{"bbBbb/...../...../...../wwWww 0 8,6 0,12 9 17", engine.Ongoing},
		{"bbBbb/...../...../...../wwWww 1 6,8 0,12 9 200", engine.Draw},
		{"..b../..W../...../...../B.... 0 4,6 0,12 9 200", engine.Draw},
		{"..W../...../...../...../B.... 1 4,6 0,12 9 200", engine.FirstWins},
		{"..W../b..../...../...../..... 1 4,6 0,12 9 31", engine.FirstWins},
		{"bb.../...../W..../...../..... 1 4,6 0,12 9 3", engine.FirstWins},
		{"..B../...../...../...../w..ww 0 4,6 0,12 9 8", engine.SecondWins},
		{"...../...../...../....W/..B.. 0 4,6 0,12 9 8", engine.SecondWins},
		{"..b../...../.W.B./...../..w.. 0 4,6 0,12 9 8", engine.Ongoing},
	} {
		if s := parse(t, c.text); s.String() != c.text || s.Outcome() != c.outcome {
			t.Errorf("%s is read as %s, outcome %v, want %v", c.text, s, s.Outcome(), c.outcome)
		}
	}
	if got := parse(t, " bbBbb/...../...../...../wwWww  0 8,6 0,12 9\n").String(); got != "bbBbb/...../...../...../wwWww 0 8,6 0,12 9 0" {
		t.Errorf("without a number of actions: %s", got)
	}
}

func TestParseMistakes(t *testing.T) {
	const good = "bbBbb/...../...../...../wwWww 0 8,6 0,12 9 17"
	parse(t, good)
	for _, c := range []struct{ from, to, says string }{
		{good, "", "has 0 parts"},
		{" 17", " 17 3", "has 7 parts"},
		{" 9 17", "", "has 4 parts"},
		{"bbBbb/", "", "4 rows"},
		{"bbBbb", "bbBb", `row 5 "bbBb" has 4 cells`},
		{"wwWww", "wwWwww", `row 1 "wwWwww" has 6 cells`},
		{"wwWww", "wwWwx", "cell E1 contains 'x'"},
		{"wwWww", "wwWWw", "two W, on C1 and D1"},
		{"bbBbb", "BbBbb", "two B"},
		{"bbBbb/...../...../...../wwWww", "bbbb./...../...../...../wwww.", "no master"},
		{"/...../", "/....w/", "5 students of first"},
		{"/...../", "/b..../", "5 students of second"},
		{"wwWww", "wwwww", "5 students of first"},
		{" 0 8,6", " 2 8,6", `side to move "2"`},
		{"8,6", "8", `hand of first "8" is not a list of 2 numbers`},
		{"8,6", "8,16", `hand of first "16"`},
		{"0,12", "0,x", `hand of second "x"`},
		{" 9 ", " 9,1 ", `centre card "9,1" is not a number`},
		{"8,6", "8,8", "card 8 (cobra) occurs twice"},
		{" 9 ", " 12 ", "card 12 (goose) occurs twice"},
		{"17", "201", `number of actions played "201"`},
		{"17", "-1", `number of actions played "-1"`},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if s, err := Parse(text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Parse(%q) = %s, %v; want an error with %q", text, s, err, c.says)
		}
	}
}
