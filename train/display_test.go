package train

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dojo.example/internal/bounded"
)

// The lines of a display are not too wide, even with the largest numbers that occur. The help text
// explains every column.
func TestDisplayFits(t *testing.T) {
	m := Metrics{Generation: 198, GamesPerSecond: 12345.6, GameLength: 123.4, FirstWins: 1, Fit: FitStats{PolicyLoss: 12.345, ValueLoss: 12.345, ValueError: 1.234}}
	m.Gate.Wins, m.Gate.Losses, m.Gate.Draws, m.Gate.Promoted = 140, 60, 0, true
	start := time.Unix(0, 0)
	d := Display{last: 200, ends: []time.Time{start, start.Add(99 * time.Hour)}}
	for _, line := range []string{displayHeader, d.row(m)} {
		if n := utf8.RuneCountInString(line); n > bounded.LineWidth {
			t.Errorf("the line has %d columns: %s", n, line)
		}
	}
	for _, column := range strings.Fields(displayHeader) {
		if !strings.Contains(DisplayHelp, "\n  "+column+" ") {
			t.Errorf("the column %s is not explained", column)
		}
	}
}

// The time left is estimated from the last five generations.
func TestTimeLeft(t *testing.T) {
	start := time.Unix(0, 0)
	var unknown Display
	unknown.ended(start)
	if d, ok := unknown.Left(0); ok {
		t.Errorf("a generation whose beginning was not seen gives the estimate %v", d)
	}
	d := Display{last: 16, ends: []time.Time{start}}
	if _, ok := d.Left(0); ok {
		t.Error("before a generation has ended there is an estimate")
	}
	for _, at := range []time.Duration{100, 101, 102, 103, 104, 105} {
		d.ended(start.Add(at * time.Second))
	}
	if left, ok := d.Left(6); !ok || left != 10*time.Second {
		t.Errorf("after five generations of a second, %v are left for ten", left)
	}
}
