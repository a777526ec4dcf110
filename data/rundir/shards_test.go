package rundir_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"dojo.example/data/rundir"
)

// Shards are listed in the order of their numbers. Files with other names are not listed.
func TestShards(t *testing.T) {
	f := rundir.Folder(t.TempDir())
	if all, err := f.Shards(); err != nil || len(all) != 0 {
		t.Errorf("an empty run has shards %v, %v", all, err)
	}
	for _, name := range []string{
		"gen-1000000/shard-000000.parquet", "gen-000002/shard-000010.parquet", "gen-000002/shard-000009.parquet",
		"gen-000001/.tmp-dojo-123", "gen-000001/shard-000001.parquet.bak", "gen-000001/shard-1.parquet",
		"gen-000001/shard-00000x.parquet", "old-gen-000001/shard-000001.parquet", "gen-000001/deep/shard-000001.parquet",
		"gen-000003", "shard-000001.parquet",
	} {
		path := f.Path("samples", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var want []rundir.Shard
	for _, n := range [][2]int{{2, 9}, {2, 10}, {1_000_000, 0}} {
		want = append(want, rundir.Shard{Generation: n[0], Number: n[1], Path: f.Shard(n[0], n[1])})
	}
	if all, err := f.Shards(); err != nil || !reflect.DeepEqual(all, want) {
		t.Errorf("found %v, %v; want %v", all, err, want)
	}
}
