package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/cli/sweep"
)

// twoArms is the YAML file of a small sweep.
const twoArms = `
preset: tictactoe
budget: 1ms
seeds: 2
simulations: 4
games: 4
move_time: 4us
timed_games: 2
points: 1
arms:
  - name: base
    set: [selfplay.games=8, selfplay.shard_games=8]
  - name: sparse
    set: [selfplay.games=8, selfplay.shard_games=8, network.kind=sparse]
`

// planTwoArms creates the folder of the sweep twoArms with a complete plan, so that the sweep does
// not measure any costs.
func planTwoArms(t *testing.T, dir string) {
	t.Helper()
	plan := "budget: 1ms\narms:\n"
	for _, arm := range []string{"base", "sparse"} {
		plan += "- name: " + arm + "\n  costs: {simulation: 1us, sample: 1us, game: 1us, play: 1us}\n  generations: 1\n"
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "plan.yaml"), []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A sweep prints a line of JSON for each arm (configuration) and for each pair of arms. If the
// sweep is already complete, the same command prints the same lines.
func TestSweepCommand(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "two.yaml")
	if err := os.WriteFile(file, []byte(twoArms), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	planTwoArms(t, out)
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
