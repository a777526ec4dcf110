package main

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dojo/train"
)

// The lines of train fit 80 columns, with numbers as large as they become, and
// every column is explained.
func TestGenerationsFit(t *testing.T) {
	m := train.Metrics{GamesPerSecond: 12345.6, GameLength: 123.4, FirstWins: 1, Fit: train.FitStats{PolicyLoss: 12.345, ValueLoss: 12.345, ValueError: 1.234}}
	m.Gate.Wins, m.Gate.Losses, m.Gate.Draws, m.Gate.Promoted = 140, 60, 0, true
	header, row := generationsHeader(), generationsRow(m, 199, 200, &pace{took: []time.Duration{99 * time.Hour}})
	for _, line := range []string{header, row} {
		if n := utf8.RuneCountInString(line); n > lineWidth {
			t.Errorf("the line has %d columns: %s", n, line)
		}
	}
	for _, column := range strings.Fields(header) {
		if !strings.Contains(generationsHelp, "\n  "+column+" ") {
			t.Errorf("the column %s is not explained", column)
		}
	}
}

// The time left is that of the last generations, times those to come.
func TestPace(t *testing.T) {
	start := time.Unix(0, 0)
	var unknown pace
	unknown.ended(start)
	if d, ok := unknown.left(3); ok {
		t.Errorf("a generation whose beginning was not seen gives the estimate %v", d)
	}
	p := pace{since: start}
	if _, ok := p.left(3); ok {
		t.Error("before a generation has ended there is an estimate")
	}
	for _, at := range []time.Duration{100, 101, 102, 103, 104, 105} {
		p.ended(start.Add(at * time.Second))
	}
	if d, ok := p.left(10); !ok || d != 10*time.Second {
		t.Errorf("after five generations of a second, %v are left for ten", d)
	}
}

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m01s", 3*time.Hour + 5*time.Minute + 9*time.Second: "3h05m"} {
		if got := brief(d); got != want {
			t.Errorf("brief(%v) = %s, want %s", d, got, want)
		}
	}
}
