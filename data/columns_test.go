package data_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"dojo.example/data"

	"github.com/parquet-go/parquet-go"
)

// older is a row without the optional columns.
type older struct {
	Run        string        `parquet:"run,dict"`
	Generation int32         `parquet:"generation"`
	Game       int64         `parquet:"game"`
	Ply        int32         `parquet:"ply"`
	Position   string        `parquet:"position"`
	Mover      int32         `parquet:"mover"`
	Action     int32         `parquet:"action"`
	Policy     []data.Weight `parquet:"policy,list"`
	Value      float32       `parquet:"value"`
	Outcome    int32         `parquet:"outcome"`
	TurnsLeft  int32         `parquet:"turns_left"`
	Model      string        `parquet:"model,dict"`
}

// newer is a row with columns that this program does not know.
type newer struct {
	data.Row
	Full   bool      `parquet:"full"`
	Priors []float32 `parquet:"priors,list"`
}

// A shard without the optional columns can be read, and the header says what it lacks.
// Unknown columns are ignored.
func TestColumnsMayComeAndGo(t *testing.T) {
	all := rows(300)
	var old []older
	var more []newer
	var want []data.Row
	for i, r := range all {
		old = append(old, older{r.Run, r.Generation, r.Game, r.Ply, r.Position, r.Mover, r.Action, r.Policy, r.Value, r.Outcome, r.TurnsLeft, r.Model})
		more = append(more, newer{r, i%2 == 0, []float32{0.25, 0.75}})
		r.Margin = 0
		want = append(want, r)
	}
	for name, c := range map[string]struct {
		text           []byte
		rows           []data.Row
		lacks, unknown []string
	}{
		"older": {written(t, old), want, []string{"margin"}, nil},
		"newer": {written(t, more), all, nil, []string{"full", "priors.list.element"}},
	} {
		path := filepath.Join(t.TempDir(), "shard.parquet")
		if err := os.WriteFile(path, c.text, 0o644); err != nil {
			t.Fatal(err)
		}
		h, got, err := data.ReadShard(path)
		if err != nil || !reflect.DeepEqual(got, c.rows) {
			t.Errorf("%s: %d rows of %d are read, %v", name, len(got), len(c.rows), err)
		}
		slices.Sort(h.Unknown)
		if !slices.Equal(h.Lacks, c.lacks) || !slices.Equal(h.Unknown, c.unknown) || h.Run != "test" {
			t.Errorf("%s: it lacks %q and has the unknown %q, want %q and %q", name, h.Lacks, h.Unknown, c.lacks, c.unknown)
		}
	}
}

// written returns a shard with rows of another type.
func written[T any](t *testing.T, rows []T) []byte {
	t.Helper()
	var b bytes.Buffer
	options := []parquet.WriterOption{}
	for key, value := range map[string]string{
		"dojo.schema": strconv.Itoa(data.SchemaVersion), "dojo.game": "onitama", "dojo.spec_version": "1", "dojo.run": "test", "dojo.generation": "3",
		"dojo.shard": "7", "dojo.seed": "1", "dojo.model": "uniform", "dojo.program": "test",
	} {
		options = append(options, parquet.KeyValueMetadata(key, value))
	}
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
