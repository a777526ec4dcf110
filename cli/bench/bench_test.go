package bench

import (
	"strings"
	"testing"
)

// Tests the functions that count work: perft counts all nodes at its depth, and playouts reach the
// end of the game.
func TestBenchWork(t *testing.T) {
	for _, b := range gameBenchmarks() {
		if strings.HasPrefix(b.name, "perft/") && b.name != "perft/tictactoe" {
			continue // skip it to save time: together, these benchmarks take seconds
		}
		work := b.make()
		n := work()
		// Depth 8 is the smallest depth with at least 200,000 nodes.
		if b.name == "perft/tictactoe" && n != 200448 {
			t.Errorf("%s counts %v", b.name, n)
		}
		if strings.HasPrefix(b.name, "playout/") { // a dealt position can be close to the end
			for range 9 {
				n += work()
			}
			n /= 10
		}
		if n < 5 {
			t.Errorf("%s does %v %s of work", b.name, n, b.unit)
		}
	}
	if _, err := Choose([]string{"perft", "dance"}, nil); err == nil || !strings.Contains(err.Error(), "dance") {
		t.Errorf("an unknown name gives %v", err)
	}
}

// Every benchmark that uses a network reports some work done, for both kinds of network.
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

// Settings change the presets of the selected benchmarks and no others.
func TestBenchSettings(t *testing.T) {
	for _, c := range []struct {
		names    []string
		settings []string
		want     string // text that the error must contain; "" for no error
	}{
		{[]string{"train/onitama-quick/1"}, []string{"network.kind=sparse"}, ""},
		{[]string{"train/onitama-quick/", "train/onitama-quick/1", "peak/none"}, nil, `no benchmark has a name that begins with "peak/none"`},
		{[]string{"network/onitama-quick"}, []string{"network.kind=round"}, `--set network.kind=round: network: kind: "round" is neither`},
		{[]string{"selfplay/onitama-quick"}, []string{"network.depth=3"}, "--set network.depth=3: "},
		{[]string{"perft/onitama"}, []string{"network.kind=sparse"}, "--set has no effect"},
	} {
		chosen, err := Choose(c.names, c.settings)
		if c.want == "" && (err != nil || len(chosen) != 1) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v with %v: %d benchmarks, error %v, want %q", c.names, c.settings, len(chosen), err, c.want)
		}
	}
}
