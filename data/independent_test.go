package data_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dojo.example/data"
)

// DuckDB, an independent reader of Parquet files, runs the queries in docs/FORMAT.md on a run of
// two generations. Its answers agree with Stats and with the rows.
func TestIndependentReader(t *testing.T) {
	if _, err := os.Stat("independent/node_modules"); err != nil {
		t.Skip("install DuckDB with: npm install --prefix data/independent --no-package-lock")
	}
	root := t.TempDir()
	var generations [][]data.Row
	for g := range 2 {
		all := rows(300 + 400*g)
		for i := range all {
			r := &all[i]
			r.Run, r.Generation = "two", int32(g)
			r.Policy[0].Weight, r.Policy[1].Weight = 0.2, 0.05
			r.Action = r.Policy[i%2].Action
		}
		if err := data.WriteShard(shardPath(root, g), data.Provenance{Game: "onitama", Generation: g}, all); err != nil {
			t.Fatal(err)
		}
		generations = append(generations, all)
	}
	tables := runQueries(t, root)
	for i, want := range [][]line{games(generations), searches(generations), openings(generations), metadata(root)} {
		if len(tables[i]) != len(want) {
			t.Errorf("query %d gives %d lines, want %d", i, len(tables[i]), len(want))
			continue
		}
		for n, expect := range want {
			for column, value := range expect {
				if got := tables[i][n][column]; !same(got, value) {
					t.Errorf("query %d line %d: DuckDB says %s is %v, we say %v", i, n, column, got, value)
				}
			}
		}
	}
}

// shardPath returns the path of a generation's only shard.
func shardPath(root string, generation int) string {
	return filepath.Join(root, "samples", fmt.Sprintf("gen-%06d", generation), "shard-000000.parquet")
}

// A line is one line of a query's result; its keys are the names of the columns.
type line map[string]any

// runQueries returns the result of each query in docs/FORMAT.md.
func runQueries(t *testing.T, root string) (tables [4][]line) {
	t.Helper()
	out, err := exec.Command("node", "independent/check.mjs", "../docs/FORMAT.md", root).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			out = exit.Stderr
		}
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(tables) {
		t.Fatalf("%d queries, want %d: %s", len(lines), len(tables), out)
	}
	for i := range tables {
		if err := json.Unmarshal([]byte(lines[i]), &tables[i]); err != nil {
			t.Fatal(err)
		}
	}
	return tables
}

// same reports whether got, which DuckDB printed, equals want. DuckDB prints large integers as
// text.
func same(got, want any) bool {
	w, ok := want.(float64)
	if !ok {
		return fmt.Sprint(got) == fmt.Sprint(want)
	}
	var g float64
	_, err := fmt.Sscan(fmt.Sprint(got), &g)
	// The tolerance is needed because weights are float32.
	return err == nil && math.Abs(g-w) <= 1e-6*(1+math.Abs(w))
}

func games(generations [][]data.Row) (all []line) {
	for g, rows := range generations {
		s := data.Stats(rows)
		all = append(all, line{"run": "two", "generation": g, "games": s.Games,
			"mean_length": s.MeanLength, "first_wins": s.FirstWins, "draws": s.Draws})
	}
	return all
}

func searches(generations [][]data.Row) (all []line) {
	for g, rows := range generations {
		s := data.Stats(rows)
		// The favourite action is played in every second row, beginning with the first.
		favourites := (s.Positions + 1) / 2
		all = append(all, line{"run": "two", "generation": g, "positions": s.Positions, "entropy": s.PolicyEntropy,
			"favourite": float64(favourites) / float64(s.Positions), "value_error": s.ValueError})
	}
	return all
}

// openings lists the policies of the first positions of games. The list has one line for each
// action.
func openings(generations [][]data.Row) (all []line) {
	for g, rows := range generations {
		policies, searches := map[string][]data.Weight{}, map[string]int{}
		for _, r := range rows {
			if r.Ply == 0 {
				policies[r.Position] = r.Policy // all games from this position have the same policy
				searches[r.Position]++
			}
		}
		for _, position := range slices.Sorted(maps.Keys(policies)) {
			policy := slices.Clone(policies[position])
			slices.SortStableFunc(policy, func(a, b data.Weight) int { return cmp.Compare(b.Weight, a.Weight) })
			for _, w := range policy {
				all = append(all, line{"run": "two", "generation": g, "position": position, "action": w.Action,
					"weight": float64(w.Weight), "searches": searches[position]})
			}
		}
	}
	return all
}

// metadata returns the provenance of the shards. The list has one line for each key.
func metadata(root string) (all []line) {
	for g := range 2 {
		for _, kv := range [][2]string{
			{"dojo.game", "onitama"}, {"dojo.generation", fmt.Sprint(g)}, {"dojo.model", ""}, {"dojo.program", ""},
			{"dojo.run", ""}, {"dojo.schema", strconv.Itoa(data.SchemaVersion)}, {"dojo.seed", "0"}, {"dojo.shard", "0"}, {"dojo.spec_version", "0"},
		} {
			all = append(all, line{"shard": shardPath(root, g), "key": kv[0], "value": kv[1]})
		}
	}
	return all
}
