package rundir_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/internal/listed"
	"dojo.example/model"
)

// The functions that read a shard, a model or the games of a gate compare the file with the listing
// of its generation. If the generation is committed, they reject a file that is not listed with its
// hash.
func TestReadersCompareWithTheListing(t *testing.T) {
	sizes := model.DefaultResidual()
	sizes.Channels, sizes.Blocks = 16, 1
	network := model.Network{Actions: 9, Planes: engine.Shape{H: 3, W: 3, C: 2}, Body: sizes}
	write := func(f rundir.Folder, seed uint64) error {
		c := model.NewCheckpoint(model.Meta{Game: "tictactoe", Seed: seed}, network, rand.New(rand.NewPCG(seed, 0)))
		row := data.Row{Policy: []data.Weight{{Action: 1, Weight: 1}}, Action: 1, TurnsLeft: 1, Game: int64(seed)}
		return errors.Join(
			c.Save(f.Model("000000")), c.Save(f.Model(rundir.StartModel)),
			data.WriteShard(f.Shard(0, 0), data.Provenance{}, []data.Row{row}),
			os.WriteFile(f.Gate(0), fmt.Append(nil, seed), 0o644),
		)
	}
	read := map[string]func(f rundir.Folder) error{
		"model": func(f rundir.Folder) error { _, err := model.Load(f.Model("000000")); return err },
		"start": func(f rundir.Folder) error { _, err := model.Load(f.Model(rundir.StartModel)); return err },
		"shard": func(f rundir.Folder) error { _, _, err := data.ReadShard(f.Shard(0, 0), data.Limits{}); return err },
		"gate":  func(f rundir.Folder) error { _, err := listed.Read(f.Gate(0), 1000); return err },
		// This path does not contain the run's folder, because it is relative to a folder in the
		// run.
		"inside": func(f rundir.Folder) error {
			t.Chdir(f.Path("models"))
			_, err := model.Load("000000.safetensors")
			return err
		},
	}
	for name, c := range map[string]struct {
		record string // "%s" stands for the hash of the listing
		spoil  func(f rundir.Folder) error
		err    string // expected error of every reader; "" for none
	}{
		"as they are listed":           {`{"generation":0,"files":"%s"}`, func(rundir.Folder) error { return nil }, ""},
		"other files":                  {`{"generation":0,"files":"%s"}`, func(f rundir.Folder) error { return write(f, 2) }, "is not the file that generation 000000 of the run lists"},
		"not committed":                {"", func(f rundir.Folder) error { return write(f, 2) }, ""},
		"a record of an older program": {`{"generation":0}%.0s`, func(f rundir.Folder) error { return write(f, 2) }, ""},
		"without the listing":          {`{"generation":0,"files":"%s"}`, func(f rundir.Folder) error { return os.Remove(f.Listing(0)) }, "cannot be compared with its listed hash"},
		"another listing":              {`{"generation":0,"files":"%s"}`, func(f rundir.Folder) error { return os.WriteFile(f.Listing(0), nil, 0o644) }, "is not the listing"},
		"not listed":                   {`{"generation":0,"files":"` + rundir.TextHash(nil) + `"}%.0s`, func(f rundir.Folder) error { return os.WriteFile(f.Listing(0), nil, 0o644) }, "does not list"},
	} {
		f := rundir.Folder(filepath.Join(t.TempDir(), "run"))
		lock, err := f.LockStages()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(lock.Close(), write(f, 1)); err != nil {
			t.Fatal(err)
		}
		hash, err := f.List(0)
		if err == nil && c.record != "" {
			_, err = f.Commit(0, fmt.Appendf(nil, c.record, hash))
		}
		if err := errors.Join(err, c.spoil(f)); err != nil {
			t.Fatal(err)
		}
		for kind, read := range read {
			err := read(f)
			if (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || errors.Is(err, fs.ErrNotExist)) {
				t.Errorf("%s, read as %s: %v, want %q", name, kind, err, c.err)
			}
		}
	}
}
