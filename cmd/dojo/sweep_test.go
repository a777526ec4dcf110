package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dojo/internal/bounded"
	"dojo/sweep"
)

// The tables of a sweep fit 80 columns, with long names and large numbers.
func TestSweepFits(t *testing.T) {
	large := sweep.Estimate{Elo: -1234, Low: -2345, High: 1345, Spread: 234}
	strength := sweep.Strength{Simulations: 100000, Estimate: large}
	arm := sweep.ArmResult{
		Arm: "a-very-long-name-of-an-arm", Game: "wallonitama", Generations: 10000, Used: 86400 * 3,
		Equal: strength, Timed: strength, Curve: []sweep.Point{{Used: 86400 * 3, Estimate: large}},
	}
	var out bytes.Buffer
	a := &app{stdout: &out}
	a.printSweep(
		sweep.File{Budget: 72 * time.Hour, Seeds: 1000, Simulations: 100000, MoveTime: 1500 * time.Millisecond},
		sweep.Report{Arms: []sweep.ArmResult{arm}, Pairs: []sweep.PairResult{{A: arm.Arm, B: arm.Arm, Equal: large, Timed: large}}},
	)
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(line); n > bounded.LineWidth+1 {
			t.Errorf("the line has %d columns: %s", n-1, line)
		}
	}
}

// twoArms is the file of a small sweep.
const twoArms = `
preset: tictactoe
budget: 1ms
seeds: 2
simulations: 4
games: 4
move_time: 4us
timed_games: 2
points: 1
plies: 8
arms:
  - name: base
    set: [selfplay.games=8, selfplay.shard_games=8]
    costs: {simulation: 1us, sample: 1us, game: 1us, play: 1us}
  - name: sparse
    set: [selfplay.games=8, selfplay.shard_games=8, network.kind=sparse]
    costs: {simulation: 1us, sample: 1us, game: 1us, play: 1us}
`

// A sweep prints a line of JSON for each arm and each pair of arms, and a second call,
// which finds all done, the same.
func TestSweepCommand(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "two.yaml")
	if err := os.WriteFile(file, []byte(twoArms), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	first := done(t, "", "sweep", file, "--out", out, "--json")
	lines := strings.Split(strings.TrimSpace(first), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines of JSON, want two arms and a pair:\n%s", len(lines), first)
	}
	var pair sweep.PairResult
	if err := json.Unmarshal([]byte(lines[2]), &pair); err != nil || pair.A != "sparse" || pair.B != "base" {
		t.Errorf("the last line is not of the pair sparse and base: %s", lines[2])
	}
	if again := done(t, "", "sweep", file, "--out", out, "--json"); again != first {
		t.Errorf("the second call prints\n%s, the first\n%s", again, first)
	}
	if table := done(t, "", "sweep", file, "--out", out); !strings.Contains(table, "sparse") {
		t.Errorf("the table does not name the arm sparse:\n%s", table)
	}
	runDir := trained(t)
	if r := dojo(t, "", "sweep", file, "--out", runDir); r.status != exitFailed || !strings.Contains(r.stderr, "holds a run") {
		t.Errorf("a sweep in the folder of a run: status %d, %q", r.status, r.stderr)
	}
	r := dojo(t, "", "sweep", filepath.Join(dir, "missing.yaml"))
	if r.status != exitFailed || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "missing.yaml") {
		t.Errorf("a file that is missing: status %d, %q", r.status, r.stderr)
	}
}
