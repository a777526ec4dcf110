package data_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"dojo.example/data"

	"github.com/parquet-go/parquet-go"
)

// newer is a row with additional columns that this program does not know.
type newer struct {
	data.Row
	Full   bool      `parquet:"full"`
	Priors []float32 `parquet:"priors,list"`
}

// Readers ignore columns that they do not know.
func TestUnknownColumns(t *testing.T) {
	want := rows(300)
	var more []newer
	for i, r := range want {
		more = append(more, newer{r, i%2 == 0, []float32{0.25, 0.75}})
	}
	path := filepath.Join(t.TempDir(), "shard.parquet")
	if err := os.WriteFile(path, written(t, more), 0o644); err != nil {
		t.Fatal(err)
	}
	p, got, err := data.ReadShard(path, data.Limits{})
	if err != nil || p.Run != "test" || !reflect.DeepEqual(got, want) {
		t.Errorf("%d rows of %d are read of run %q, %v", len(got), len(want), p.Run, err)
	}
}

// written returns a shard whose rows have the type T instead of data.Row.
func written[T any](t *testing.T, rows []T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := writer[T](&b)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// writer returns a Parquet writer for a shard whose rows have the type T instead of data.Row.
func writer[T any](to io.Writer) *parquet.GenericWriter[T] {
	options := []parquet.WriterOption{parquet.Compression(&parquet.Zstd)}
	for key, value := range map[string]string{
		"dojo.schema": strconv.Itoa(data.SchemaVersion), "dojo.game": "onitama", "dojo.spec_version": "1", "dojo.run": "test", "dojo.generation": "3",
		"dojo.shard": "7", "dojo.seed": "1", "dojo.model": "uniform", "dojo.program": "test",
	} {
		options = append(options, parquet.KeyValueMetadata(key, value))
	}
	return parquet.NewGenericWriter[T](to, options...)
}
