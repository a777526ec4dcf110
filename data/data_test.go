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

	"dojo/data"

	"github.com/parquet-go/parquet-go"
)

var provenance = data.Provenance{
	Game: "onitama", SpecVersion: 1, Run: "test", Generation: 3, Shard: 7,
	Seed: math.MaxUint64, Model: "000002", ProgramVersion: "v1",
}

// rows are made-up games of rising length with as many positions as asked.
func rows(n int) (all []data.Row) {
	for game := 0; len(all) < n; game++ {
		length := 1 + game%40
		for ply := range length {
			r := data.Row{
				Run: "test", Generation: 3, Game: int64(3_000_000 + game), Ply: int32(ply),
				Position: fmt.Sprintf("bbBbb/...../...../...../wwWww %d 8,6 0,12 %d %d", ply%2, game%16, ply),
				Mover:    int32(ply % 2), Action: int32(17 * ply), Value: float32(game%21)/10 - 1,
				Outcome: int32(game%3 - 1), TurnsLeft: int32(length - ply), Model: "000002",
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
	root := t.TempDir()
	path := data.ShardPath(root, 3, 7)
	want := rows(500)
	if err := data.WriteShard(path, provenance, want); err != nil {
		t.Fatal(err)
	}
	p, got, err := data.ReadShard(path)
	if err != nil || p != provenance || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v and %d rows, %v", p, len(got), err)
	}
	if p, n, err := data.ReadProvenance(path); err != nil || p != provenance || n != len(want) {
		t.Errorf("provenance %+v, %d rows, %v", p, n, err)
	}
	shards, err := data.Shards(root)
	if err != nil || !reflect.DeepEqual(shards, []data.Shard{{Generation: 3, Number: 7, Path: path}}) {
		t.Errorf("listed %v, %v", shards, err)
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

func TestShardsIgnoresWhatIsNone(t *testing.T) {
	root := t.TempDir()
	if all, err := data.Shards(root); err != nil || len(all) != 0 {
		t.Errorf("an empty run has shards %v, %v", all, err)
	}
	for _, name := range []string{"samples/gen-000001/.tmp-123", "samples/gen-000001/shard-000001.parquet.bak", "samples/note"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := data.Shards(root); err != nil || len(all) != 0 {
		t.Errorf("found shards %v, %v", all, err)
	}
}

// What no game can have made is not published.
func TestCheck(t *testing.T) {
	for name, spoil := range map[string]func(r []data.Row){
		"sums to":    func(r []data.Row) { r[4].Policy[0].Weight = 0.5 },
		"has weight": func(r []data.Row) { r[4].Policy[0].Weight = float32(math.NaN()) },
		"outcome":    func(r []data.Row) { r[4].Outcome = 2 },
		"value":      func(r []data.Row) { r[4].Value = 1.5 },
		"mover":      func(r []data.Row) { r[4].Mover = 2 },
		"follow":     func(r []data.Row) { r[4].Game++ },
		"turns left": func(r []data.Row) { r[len(r)-1].TurnsLeft = 3; r[len(r)-1].Ply = 0 },
	} {
		all := rows(30)
		spoil(all)
		path := data.ShardPath(t.TempDir(), 0, 0)
		err := data.WriteShard(path, provenance, all)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "game") {
			t.Errorf("%s: error %v should name the game and the cause", name, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a shard appeared", name)
		}
	}
}

// Damaged and foreign files are one clear line.
func TestDamage(t *testing.T) {
	path := data.ShardPath(t.TempDir(), 0, 0)
	if err := data.WriteShard(path, provenance, rows(200)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := func(name string, text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := data.ReadShard(path)
		if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v should be one line that names the file", name, err)
		}
	}
	for cut := 0; cut < len(whole); cut += len(whole)/50 + 1 {
		broken(fmt.Sprint("cut at ", cut), whole[:cut])
	}
	broken("text", []byte("these are not the rows you are looking for"))

	var other bytes.Buffer
	w := parquet.NewGenericWriter[struct{ A int }](&other)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	broken("foreign", other.Bytes())
	broken("newer", bytes.Replace(whole, []byte("dojo.schema\x18\x011"), []byte("dojo.schema\x18\x019"), 1))

	// A flipped bit is an error or changes nothing that is checked: no panic.
	for at := 4; at < len(whole); at += 37 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x10
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, _ = data.ReadShard(path) // whether it is noticed depends on where it is
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

func BenchmarkWriteShard(b *testing.B) {
	all := rows(10_000)
	path := data.ShardPath(b.TempDir(), 0, 0)
	for b.Loop() {
		if err := data.WriteShard(path, provenance, all); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkReadShard(b *testing.B) {
	all := rows(10_000)
	path := data.ShardPath(b.TempDir(), 0, 0)
	if err := data.WriteShard(path, provenance, all); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := data.ReadShard(path); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "rows/s")
}
