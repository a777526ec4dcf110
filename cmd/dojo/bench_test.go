package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// A chosen benchmark measures something, in the fixed form of the output.
func TestBench(t *testing.T) {
	out := done(t, "", "bench", "perft/tictactoe", "playout/tic", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, want := range []measured{{Name: "perft/tictactoe", Unit: "nodes/s"}, {Name: "playout/tictactoe", Unit: "plies/s"}} {
		var m measured
		if len(lines) != 2 {
			t.Fatalf("two benchmarks give %d lines", len(lines))
		}
		if err := json.Unmarshal([]byte(lines[i]), &m); err != nil || m.Value <= 0 {
			t.Errorf("%s: %v", lines[i], err)
		}
		m.Value = 0
		if m != want {
			t.Errorf("line %d is %+v, want %+v", i, m, want)
		}
	}
}

// The work of a benchmark is what it says: all nodes of a depth, games played
// to the end.
func TestBenchWork(t *testing.T) {
	for _, b := range gameBenchmarks() {
		if strings.HasPrefix(b.name, "perft/") && b.name != "perft/tictactoe" {
			continue // takes seconds in all
		}
		n := b.make()()
		if b.name == "perft/tictactoe" && n != 200448 { // the first depth beyond 200,000 is 8
			t.Errorf("%s counts %v", b.name, n)
		}
		if n < 5 {
			t.Errorf("%s does %v %s of work", b.name, n, b.unit)
		}
	}
	if _, err := chooseBenchmarks([]string{"perft", "dance"}); err == nil || !strings.Contains(err.Error(), "dance") {
		t.Errorf("an unknown name gives %v", err)
	}
}

func TestGrouped(t *testing.T) {
	for x, want := range map[float64]string{7: "7", 999: "999", 1000: "1,000", 37123456.4: "37,123,456"} {
		if got := grouped(x); got != want {
			t.Errorf("grouped(%v) = %s, want %s", x, got, want)
		}
	}
}

// Every benchmark of networks does some work.
func TestNetworkBenchmarks(t *testing.T) {
	all := append(peakBenchmarks(), kernelBenchmarks()...)
	more, err := presetBenchmarks("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range append(all, more...) {
		if n := b.make()(); n <= 0 {
			t.Errorf("%s does %v %s of work", b.name, n, b.unit)
		}
	}
}
