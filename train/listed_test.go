package train_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/train"
)

// The record of a committed generation lists the hashes of its files. If a shard or a model of the
// generation differs from the listed file, the run does not continue, even if the file itself is
// valid.
func TestCommittedFilesAreCompared(t *testing.T) {
	begun := filepath.Join(t.TempDir(), "begun")
	next := func(dir string) error {
		opt, err := tiny(dir, 2)
		if err != nil {
			return err
		}
		r, err := train.Open(opt)
		if err != nil {
			return err
		}
		return errors.Join(r.Generation(t.Context()), r.Close())
	}
	if err := errors.Join(next(begun), next(begun)); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(f rundir.Folder) error{
		"": func(rundir.Folder) error { return nil },
		"samples/gen-000000/shard-000001.parquet": func(f rundir.Folder) error {
			h, rows, err := data.ReadShard(f.Shard(0, 1), data.Limits{})
			if err != nil {
				return err
			}
			rows[0].Value = 0.625
			return data.WriteShard(f.Shard(0, 1), h, rows)
		},
		"models/000001.safetensors": func(f rundir.Folder) error {
			c, err := model.Load(f.Model("000001"))
			if err != nil {
				return err
			}
			c.Tensors[c.Params()[0].Name][0]++
			return c.Save(f.Model("000001"))
		},
	} {
		f := rundir.Folder(filepath.Join(t.TempDir(), "run"))
		if err := os.CopyFS(string(f), os.DirFS(begun)); err != nil {
			t.Fatal(err)
		}
		if err := spoil(f); err != nil {
			t.Fatal(err)
		}
		err := next(string(f))
		if (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), f.Path(filepath.FromSlash(name))+" is not the file that generation") {
			t.Errorf("with %q changed: %v", name, err)
		}
	}
}
