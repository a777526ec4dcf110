package data_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dojo.example/data"
)

var provenance = data.Provenance{
	Game: "onitama", SpecVersion: 1, Run: "test", Generation: 3, Shard: 7,
	Seed: math.MaxUint64, Model: "000002", ProgramVersion: "v1",
}

// rows returns invented games of increasing length, with at least n positions in all.
func rows(n int) (all []data.Row) {
	for game := 0; len(all) < n; game++ {
		length := 1 + game%40
		for ply := range length {
			r := data.Row{
				Run: "test", Generation: 3, Game: int64(3_000_000 + game), Ply: int32(ply),
				Position: fmt.Sprintf("bbBbb/...../...../...../wwWww %d 8,6 0,12 %d %d", ply%2, game%16, ply),
				Mover:    int32(ply % 2), Action: int32(17 * ply), Value: float32(game%21)/10 - 1,
				Outcome: int32(game%3 - 1), Margin: int32(10 * (game%3 - 1)), TurnsLeft: int32(length - ply), Model: "000002",
			}
			for a := range 8 {
				r.Policy = append(r.Policy, data.Weight{Action: int32(100*a + ply), Weight: 0.125})
			}
			all = append(all, r)
		}
	}
	return all
}

func TestShardRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "shard.parquet")
	want := rows(500)
	if err := data.WriteShard(path, provenance, want); err != nil {
		t.Fatal(err)
	}
	h, got, err := data.ReadShard(path, data.Limits{})
	if err != nil || h != provenance || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v and %d rows, %v", h, len(got), err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := data.WriteShard(path, provenance, want); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, whole) {
		t.Errorf("the same rows gave other bytes (%v)", err)
	}
}

// WriteShard rejects rows that cannot occur in a game. In the cases below, r[4] is ply 1 of the
// third game, which has three plies.
func TestCheck(t *testing.T) {
	for name, spoil := range map[string]func(r []data.Row) []data.Row{
		"sum to 1.375":                         func(r []data.Row) []data.Row { r[4].Policy[0].Weight = 0.5; return r },
		"sum to 0":                             func(r []data.Row) []data.Row { r[4].Policy = nil; return r },
		"the weight NaN":                       func(r []data.Row) []data.Row { r[4].Policy[0].Weight = float32(math.NaN()); return r },
		"the weight -0.125":                    func(r []data.Row) []data.Row { r[4].Policy[0].Weight *= -1; return r },
		"1 follows 1":                          func(r []data.Row) []data.Row { r[4].Policy[1].Action = r[4].Policy[0].Action; return r },
		"outcome 2":                            func(r []data.Row) []data.Row { r[4].Outcome = 2; return r },
		"margin -3 contradicts":                func(r []data.Row) []data.Row { r[4].Margin = -3; return r },
		"margin 9 differs from the margin 10":  func(r []data.Row) []data.Row { r[4].Margin = 9; return r },
		"outcome 0 differs from the outcome 1": func(r []data.Row) []data.Row { r[4].Outcome = 0; return r },
		"value 1.5":                            func(r []data.Row) []data.Row { r[4].Value = 1.5; return r },
		"value NaN":                            func(r []data.Row) []data.Row { r[4].Value = float32(math.NaN()); return r },
		"mover 2":                              func(r []data.Row) []data.Row { r[4].Mover = 2; return r },
		"action -1":                            func(r []data.Row) []data.Row { r[4].Action = -1; return r },
		"turns_left is 0":                      func(r []data.Row) []data.Row { r[4].TurnsLeft = 0; return r },
		"does not continue":                    func(r []data.Row) []data.Row { return append(r[:4], r[5:]...) },
		"does not begin":                       func(r []data.Row) []data.Row { return r[4:] },
		"the shard ends":                       func(r []data.Row) []data.Row { return r[:5] },
		"begins before":                        func(r []data.Row) []data.Row { return append(r[:5], r[6:]...) },
		"comes after":                          func(r []data.Row) []data.Row { return append(r[:6], r[3:]...) },
	} {
		path := filepath.Join(t.TempDir(), "shard.parquet")
		err := data.WriteShard(path, provenance, spoil(rows(30)))
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "game 300000") || !strings.Contains(err.Error(), " ply ") {
			t.Errorf("%s: error %v should name game, ply and cause", name, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a shard appeared", name)
		}
	}
}

func TestStats(t *testing.T) {
	w := []data.Weight{{Action: 1, Weight: 0.5}, {Action: 2, Weight: 0.5}}
	got := data.Stats([]data.Row{
		{Game: 1, Position: "a", Policy: w, Value: 0.5, Outcome: 1, TurnsLeft: 2},
		{Game: 1, Position: "b", Policy: w, Value: 1, Outcome: 1, TurnsLeft: 1},
		{Game: 2, Position: "a", Policy: w, Value: 0, Outcome: -1, TurnsLeft: 1},
		{Game: 3, Position: "c", Policy: w, Value: 0.5, Outcome: 0, TurnsLeft: 1},
	})
	want := data.Summary{Games: 3, Positions: 4, MeanLength: 4.0 / 3, FirstWins: 1.0 / 3, SecondWins: 1.0 / 3,
		Draws: 1.0 / 3, PolicyEntropy: math.Ln2, ValueError: 0.5, Distinct: 0.75}
	if math.Abs(got.PolicyEntropy-want.PolicyEntropy) > 1e-9 {
		t.Errorf("entropy %v, want %v", got.PolicyEntropy, want.PolicyEntropy)
	}
	got.PolicyEntropy = want.PolicyEntropy
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
