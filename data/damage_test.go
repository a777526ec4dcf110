package data_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"dojo.example/data"

	"github.com/parquet-go/parquet-go"
)

// All readers reject a file that is not a shard with this schema. The error message is one line
// that names the file and the cause.
func TestRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shard.parquet")
	for name, test := range map[string]struct {
		text  []byte
		cause string
	}{
		"empty":       {nil, "not a Parquet file, or it is truncated"},
		"text":        {[]byte("these are not the rows you are looking for"), "not a Parquet file, or it is truncated"},
		"foreign":     {foreign[data.Row](t, nil), "no dojo.schema: it was not written by dojo"},
		"newer":       {foreign[data.Row](t, map[string]string{"dojo.schema": "9"}), fmt.Sprintf("schema 9, but this program reads schema %d", data.SchemaVersion)},
		"no number":   {foreign[data.Row](t, map[string]string{"dojo.schema": "new"}), "dojo.schema is not a number"},
		"no seed":     {foreign[data.Row](t, map[string]string{"dojo.seed": "-1"}), "dojo.seed is not a number"},
		"too few":     {foreign[tooFew](t, map[string]string{}), "no column generation"},
		"other types": {foreign[otherTypes](t, map[string]string{}), "column run is INT(64,true), not STRING"},
		"a list":      {foreign[aList](t, map[string]string{}), "column run is optional or a list where it should not be"},
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, test.text, 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := data.ReadShard(path, data.Limits{})
		if err == nil || !strings.HasPrefix(err.Error(), "shard "+path) || !strings.Contains(err.Error(), test.cause) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v should be a line with the file and %q", name, err, test.cause)
		}
	}
	if _, _, err := data.ReadShard(path+".none", data.Limits{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path+".none") {
		t.Errorf("error %v should name the missing file", err)
	}
}

type (
	tooFew struct {
		Run string `parquet:"run"`
	}
	otherTypes struct {
		Run int64 `parquet:"run"`
	}
	aList struct {
		Run []string `parquet:"run"`
	}
)

// foreign returns a Parquet file without rows. Its columns are the fields of T. If changes is not
// nil, the file has the metadata of a shard, modified by changes.
func foreign[T any](t *testing.T, changes map[string]string) []byte {
	t.Helper()
	metadata := map[string]string{}
	if changes != nil {
		metadata = map[string]string{
			"dojo.schema": strconv.Itoa(data.SchemaVersion), "dojo.game": "onitama", "dojo.spec_version": "1", "dojo.run": "test", "dojo.generation": "0",
			"dojo.shard": "0", "dojo.seed": "1", "dojo.model": "uniform", "dojo.program": "test",
		}
	}
	for key, value := range changes {
		metadata[key] = value
	}
	var options []parquet.WriterOption
	for key, value := range metadata {
		options = append(options, parquet.KeyValueMetadata(key, value))
	}
	var b bytes.Buffer
	if err := parquet.NewGenericWriter[T](&b, options...).Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Readers reject truncated shards. They notice damaged pages by their checksums. The footer of a
// file has no checksum, but a damaged footer must not crash the program.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shard.parquet")
	want := rows(200)
	if err := data.WriteShard(path, provenance, want); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read := func(text []byte) ([]data.Row, error) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		_, got, err := data.ReadShard(path, data.Limits{})
		if err != nil && (!strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("error %v should be one line that names the file", err)
		}
		return got, err
	}
	for cut := 0; cut < len(whole); cut += len(whole)/50 + 1 {
		if _, err := read(whole[:cut]); err == nil {
			t.Errorf("a shard cut from %d to %d bytes was read", len(whole), cut)
		}
	}
	// Start with the first page, which holds the run's name. It begins after the 4 bytes that mark
	// a Parquet file.
	noticed := 0
	for at := 4; at < len(whole); at += 37 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x10
		got, err := read(damaged)
		if err != nil {
			noticed++
		} else if at < len(whole)/4 && !reflect.DeepEqual(got, want) {
			t.Errorf("a bit flipped at %d of %d changed rows unnoticed", at, len(whole))
		}
	}
	if pages := len(whole) / 37 / 4; noticed < pages {
		t.Errorf("%d flipped bits were noticed, want at least %d", noticed, pages)
	}
	if _, err := read(whole); err != nil {
		t.Errorf("the undamaged shard: %v", err)
	}
}
