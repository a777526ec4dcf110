package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo/run"
)

// olderRun is a copy of a small run that a program of an older format made:
// two generations of three are complete, and a shard of the third is played.
func olderRun(t *testing.T) run.Folder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "renamed")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "run-format-1"))); err != nil {
		t.Fatal(err)
	}
	return run.Folder(dir)
}

// A run of an older program is continued where it stopped, and what it has
// stays as it was.
func TestOlderRunContinues(t *testing.T) {
	f := olderRun(t)
	before := snapshot(t, string(f))
	r := dojo(t, "", "train", "--run", string(f))
	if r.status != exitDone || !strings.Contains(r.stderr, "3 generations are complete") {
		t.Fatalf("an older run: %+v", r)
	}
	after := snapshot(t, string(f))
	for path, text := range before {
		if name, _ := filepath.Rel(string(f), path); strings.HasPrefix(name, "samples") || strings.HasPrefix(name, "models") || strings.HasPrefix(name, "generations") || name == "run.yaml" {
			if after[path] != text {
				t.Errorf("%s changed", name)
			}
		}
	}
	shards, err := f.ShardsOf(2)
	if err != nil || len(shards) != 2 {
		t.Errorf("the generation that was under way has shards %v, %v; want two", shards, err)
	}
	if _, err := os.Stat(f.Model("000002")); err != nil {
		t.Error(err)
	}
}

// Older runs, shards and checkpoints are read.
func TestOlderFilesAreRead(t *testing.T) {
	f := olderRun(t)
	var head struct {
		Generations, Shards int
		Best                string
	}
	if err := json.Unmarshal([]byte(strings.SplitN(done(t, "", "inspect", string(f), "--json"), "\n", 2)[0]), &head); err != nil {
		t.Fatal(err)
	}
	if head.Generations != 2 || head.Shards != 5 || head.Best == "" || head.Best == "uniform" {
		t.Errorf("inspect of an older run prints %+v", head)
	}
	if text := done(t, "", "inspect", f.Shard(1, 0)); !strings.Contains(text, "old, generation 1, shard 0") {
		t.Errorf("inspect of an older shard prints %q", text)
	}
	if text := done(t, "", "inspect", f.Model("000001")); !strings.Contains(text, "16 channels, 1 blocks") {
		t.Errorf("inspect of an older checkpoint prints %q", text)
	}
	if out := done(t, "xx.oo....\n", "bot", string(f)); !strings.Contains(out, "3\n") {
		t.Errorf("the best of an older run answers %q", out)
	}
}
