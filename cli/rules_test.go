package cli

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"
)

// TestPerft compares node counts with the counts of independent programs.
func TestPerft(t *testing.T) {
	checked := 0
	for line := range bytes.Lines(vectors(t, "onitama-perft.jsonl.gz")) {
		var v struct {
			Pos          string
			Depth, Nodes int
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if v.Nodes > 20000 || checked == 20 {
			continue
		}
		checkPerft(t, "onitama", v.Pos, v.Depth, v.Nodes)
		checked++
	}
	if checked == 0 {
		t.Error("no vector was small enough to check")
	}
}

func checkPerft(t *testing.T, game, position string, depth, want int) {
	t.Helper()
	type nodes struct{ Nodes int }
	got := decode[nodes](t, done(t, "", "rules", "perft", game, position, strconv.Itoa(depth), "--json"))[0].Nodes
	if got != want {
		t.Errorf("perft %s %q %d = %d, want %d", game, position, depth, got, want)
	}
}
