//go:build unix

package rundir_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/model"
)

// If a FIFO replaces a file of a run, readers return an error. They do not wait for data from the
// FIFO.
func TestFIFOIsRefused(t *testing.T) {
	f := rundir.Folder(t.TempDir())
	lock, err := f.LockStages() // LockStages also creates the run's folders
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	for _, c := range []struct {
		path string
		read func() error
	}{
		{f.ConfigPath(), func() error { _, err := f.Config(); return err }},
		{f.Path("best"), func() error { _, err := f.Best(); return err }},
		{f.Record(0), func() error { _, err := f.Records(); return err }},
		{f.Path("shard.parquet"), func() error { _, _, err := data.ReadShard(f.Path("shard.parquet"), data.Limits{}); return err }},
		{f.Model("000000"), func() error { _, err := model.Load(f.Model("000000")); return err }},
	} {
		if err := syscall.Mkfifo(c.path, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := c.read(); err == nil || !strings.Contains(err.Error(), "not a regular file but a FIFO") || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s as a FIFO: %v", c.path, err)
		}
		if err := os.Remove(c.path); err != nil {
			t.Fatal(err)
		}
	}
}
