package connectfour

import (
	"fmt"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
)

func TestLaws(t *testing.T)         { enginetest.Run(t, Rules, mirrored) }
func TestGolden(t *testing.T)       { enginetest.Golden(t, Rules, 1) }
func TestAgainstNaive(t *testing.T) { enginetest.Against(t, Rules, naive) }
func FuzzPlay(f *testing.F)         { enginetest.Fuzz(f, Rules) }

// mirrored returns the image of s under the only symmetry.
func mirrored(_ int, s State) (image State) {
	for x := range width {
		image.mine |= s.mine >> (x * column) & (1<<column - 1) << ((width - 1 - x) * column)
		image.theirs |= s.theirs >> (x * column) & (1<<column - 1) << ((width - 1 - x) * column)
	}
	return image
}

// naive is a second implementation of the rules. It works on the text of a position.
func naive(position string) (n enginetest.Naive, err error) {
	rows := strings.Split(position, "/")
	at := func(x, y int) byte { // y counts from the top; at returns 0 outside the board
		if x < 0 || x >= width || y < 0 || y >= height {
			return 0
		}
		return rows[y][x]
	}
	disc := byte('x')
	if strings.Count(position, "x") > strings.Count(position, "o") {
		n.ToMove, disc = engine.Second, 'o'
	}
	for y := range height {
		for x := range width {
			for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
				c, length := at(x, y), 1
				for length < 4 && c != '.' && at(x+length*d[0], y+length*d[1]) == c {
					length++
				}
				if length == 4 {
					n.Outcome = engine.WonBy(engine.Player(strings.IndexByte("xo", c)))
					return n, nil
				}
			}
		}
	}
	if !strings.Contains(position, ".") {
		n.Outcome = engine.Draw
	}
	n.After = map[string]string{}
	for x := range width {
		for y := height - 1; y >= 0; y-- {
			if at(x, y) == '.' {
				after := []byte(position)
				after[y*(width+1)+x] = disc
				n.After[fmt.Sprintf("%c", 'a'+x)] = string(after)
				break
			}
		}
	}
	return n, nil
}

// For the first six plies every column is free, so there are 7, 49, 343, … sequences of actions.
// After six plies a column can be full. No game ends before the seventh ply.
func TestPerft(t *testing.T) {
	for depth, want := range []int{1, 7, 49, 343, 2401, 16807, 117649, 823543 - 7} {
		if got := engine.Perft(State{}, depth); got != want {
			t.Errorf("Perft(%d) = %d, want %d", depth, got, want)
		}
	}
}

func TestOutcomes(t *testing.T) {
	enginetest.Outcomes(t, Rules, map[string]engine.Outcome{
		"......./......./......./......./...o.../.ooxxxx": engine.FirstWins,
		"......./......./....x../....x../....x../..oox.o": engine.FirstWins,
		"......./......./......./....x../....x../..oox.o": engine.Ongoing,
		"......./......./....xo./...xox./x.xoxo./oxxooxo": engine.FirstWins,
		"......./......./..x..../..xx.../x.ooxx./ooxooxo": engine.FirstWins,
		"......./......./......./......./x....x./xx.oooo": engine.SecondWins,
		"......./.o...../.o...../.o...../.o...../.xxx..x": engine.SecondWins,
		"...o.../...x.../...xo../...ox../..oxo../xoxoxox": engine.SecondWins,
		"......./......o/.oo...x/.xox..o/.xoo..x/xoxxo.x": engine.SecondWins,
		"oxooxox/xoxxxoo/oxoooxx/xooxxxo/oxxxooo/oxooxxx": engine.Draw,
	})
}

func TestReadColumns(t *testing.T) {
	s, err := ReadColumns("4453")
	if want := "......./......./......./......./...o.../..oxx.."; err != nil || s.String() != want {
		t.Errorf("4453 leads to %v (error: %v), want %s", s, err, want)
	}
	mine, theirs := s.Bitboards()
	if mine != 1<<(3*7)|1<<(4*7) || theirs != 1<<(3*7+1)|1<<(2*7) {
		t.Errorf("the bitboards are %x and %x", mine, theirs)
	}
	for columns, says := range map[string]string{
		"1111111":  "disc 7 of \"1111111\": column 1 is full",
		"48":       "\"8\" is not a column",
		"12121212": "over after 7 discs",
	} {
		if _, err := ReadColumns(columns); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s gives the error %v, want %q", columns, err, says)
		}
	}
}

func TestParseMistakes(t *testing.T) {
	const rows = "......./......./......./......./"
	for text, says := range map[string]string{
		rows:                       "has 5 rows",
		rows + "......./......":    "has 6 cells",
		rows + "......./...X...":   "neither x, o nor a dot",
		rows + "......./...o...":   "as many x as o",
		rows + "...x.../.......":   "free cell below",
		rows + "xxxx.../oooo...":   "already won",
		rows + "......./...xo../.": "has 7 rows",
		rows + "oo...../oxxxx.o":   "already won",
	} {
		if s, err := Parse(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Parse(%q) returns %v and the error %v, want %q", text, s, err, says)
		}
	}
}
