package measure

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dojo.example/cli/sweep"
	"dojo.example/internal/bounded"
)

// The tables of a sweep fit 80 columns, even with long names and large numbers.
func TestSweepFits(t *testing.T) {
	large := sweep.Estimate{Elo: -1234, Low: -2345, High: 1345, Spread: 234}
	strength := sweep.Strength{Simulations: 100000, Estimate: large}
	arm := sweep.ArmResult{
		Arm: "a-very-long-name-of-an-arm", Game: "wallonitama", Generations: 10000, Used: 86400 * 3,
		Equal: strength, Timed: strength, Curve: []sweep.Point{{Used: 86400 * 3, Estimate: large}},
	}
	report := sweepReport(
		sweep.File{Budget: 72 * time.Hour, Seeds: 1000, Simulations: 100000, MoveTime: 1500 * time.Millisecond},
		sweep.Report{Arms: []sweep.ArmResult{arm}, Pairs: []sweep.PairResult{{A: arm.Arm, B: arm.Arm, Equal: large, Timed: large}}},
	)
	for line := range strings.Lines(report.Text) {
		if n := utf8.RuneCountInString(line); n > bounded.LineWidth+1 {
			t.Errorf("the line has %d columns: %s", n-1, line)
		}
	}
}
