package data_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"dojo/data"
)

// DuckDB runs the queries of docs/FORMAT.md over a run and finds what we do.
func TestIndependentReader(t *testing.T) {
	if _, err := os.Stat("independent/node_modules"); err != nil {
		t.Skip("install DuckDB with: npm install --prefix data/independent --no-package-lock")
	}
	root := t.TempDir()
	all := rows(700)
	for g := range 2 {
		for i := range all {
			all[i].Generation = int32(g)
			all[i].Policy[0].Weight, all[i].Policy[1].Weight = 0.2, 0.05
			all[i].Action = all[i].Policy[i%2].Action
		}
		if err := data.WriteShard(data.ShardPath(root, g, 0), provenance, all); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("node", "independent/check.mjs", "../docs/FORMAT.md", root).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d queries, want 2: %s", len(lines), out)
	}
	want := data.Stats(all)
	favourites := 0.0
	for i := range all {
		if i%2 == 0 {
			favourites += 1 / float64(len(all))
		}
	}
	for i, expect := range []map[string]float64{
		{"games": float64(want.Games), "mean_length": want.MeanLength, "first_wins": want.FirstWins, "draws": want.Draws},
		{"positions": float64(want.Positions), "entropy": want.PolicyEntropy, "favourite": favourites},
	} {
		var table []map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &table); err != nil {
			t.Fatal(err)
		}
		if len(table) != 2 {
			t.Fatalf("query %d finds %d generations, want 2", i, len(table))
		}
		for g, row := range table {
			expect["generation"] = float64(g)
			for column, want := range expect {
				var got float64
				if _, err := fmt.Sscan(fmt.Sprint(row[column]), &got); err != nil || math.Abs(got-want) > 1e-5*(1+want) {
					t.Errorf("generation %d: DuckDB says %s is %v, we say %v", g, column, row[column], want)
				}
			}
		}
	}
}
