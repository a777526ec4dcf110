package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"dojo/model/kernel"
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
		m.Value, want.Kernels, want.Quant = 0, kernel.Name(), kernel.QuantName()
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
	if _, err := chooseBenchmarks([]string{"perft", "dance"}, nil); err == nil || !strings.Contains(err.Error(), "dance") {
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

// Every benchmark of networks does some work, for networks of both kinds.
func TestNetworkBenchmarks(t *testing.T) {
	all := append(peakBenchmarks(), kernelBenchmarks()...)
	for _, settings := range [][]string{nil, {"network.kind=sparse", "train.optimiser.batch=300"}} {
		more, err := presetBenchmarks("tictactoe", settings)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, more...)
	}
	for _, b := range all {
		if n := b.make()(); n <= 0 {
			t.Errorf("%s does %v %s of work", b.name, n, b.unit)
		}
	}
}

// Settings change the presets that are selected, and no others.
func TestBenchSettings(t *testing.T) {
	for _, c := range []struct {
		names    []string
		settings []string
		want     string // in the error; "" for none
	}{
		{[]string{"train/onitama-quick/1"}, []string{"network.kind=sparse"}, ""},
		{[]string{"train/onitama-quick/", "train/onitama-quick/1", "peak/none"}, nil, `no benchmark's name begins with "peak/none"`},
		{[]string{"network/onitama-quick"}, []string{"network.kind=round"}, `--set network.kind=round: network: kind: "round" is neither`},
		{[]string{"selfplay/onitama-quick"}, []string{"network.depth=3"}, "--set network.depth=3: "},
		{[]string{"perft/onitama"}, []string{"network.kind=sparse"}, "--set changes presets, and none"},
	} {
		chosen, err := chooseBenchmarks(c.names, c.settings)
		if c.want == "" && (err != nil || len(chosen) != 1) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v with %v: %d benchmarks, error %v, want %q", c.names, c.settings, len(chosen), err, c.want)
		}
	}
}

// A result is printed as soon as it is known: a run that is stopped at the second
// benchmark has printed the first.
func TestBenchPrintsAtOnce(t *testing.T) {
	for _, flags := range [][]string{nil, {"--json"}} {
		ctx, cancel := context.WithCancel(t.Context())
		out := &watched{word: "playout/tictactoe", seen: cancel}
		var stderr strings.Builder
		args := append([]string{"bench", "playout/tictactoe", "search/tictactoe"}, flags...)
		status := execute(ctx, args, strings.NewReader(""), out, &stderr)
		if status != exitFailed || strings.Contains(out.String(), "search/") || flags == nil && !strings.HasPrefix(out.String(), kernelNames()) || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: status %d, printed %q and %q", args, status, out, stderr.String())
		}
	}
}

// watched calls seen when a word is written.
type watched struct {
	strings.Builder
	word string
	seen func()
}

func (w *watched) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.word) {
		w.seen()
	}
	return w.Builder.Write(p)
}
