package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"dojo.example/data/rundir"
	"dojo.example/games/box"
	temporary "dojo.example/internal/scratch"
	"dojo.example/train"
)

// beside opens a copy of the run in a temporary folder and calls do with it. All recomputed files
// go there, so that the verification never writes to the run's own folder. The temporary folder has
// copies of the run's records, and links to all files in the run's folders that links lists.
func (c *check) beside(links []string, do func(r *train.Run, scratch rundir.Folder) error) (err error) {
	dir, remove, err := temporary.Folder("verify")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	scratch := rundir.Folder(dir)
	if err := c.mirror(scratch, links); err != nil {
		return fmt.Errorf("preparing a temporary folder for the second computation: %w", err)
	}
	opt, err := c.frozen.Options(scratch)
	if err != nil {
		return err
	}
	opt.Workers, opt.Report = c.opt.Workers, stages{c.opt.Report}
	if opt.Mark, err = box.Mark(opt.Game, train.LadderSimulations); err != nil {
		return err
	}
	r, err := train.Open(opt)
	if err != nil {
		return err
	}
	return errors.Join(do(r, scratch), r.Close())
}

// stages is a train.Reporter that passes on all reports except Generation: the figures of a
// recomputed generation would confuse the user.
type stages struct{ train.Reporter }

func (stages) Generation(train.Metrics) {}

// mirror makes scratch a copy of the verified run for recomputation: it copies the records, and
// links the files in the folders links.
func (c *check) mirror(scratch rundir.Folder, links []string) error {
	for _, name := range links {
		if err := link(c.folder.Path(name), scratch.Path(name)); err != nil {
			return err
		}
	}
	files := []string{c.folder.ConfigPath()}
	for g := range c.done {
		files = append(files, c.folder.Record(g))
		if c.listed[g] != nil { // without a listing, no other file of the generation is needed
			files = append(files, c.folder.Listing(g))
		}
	}
	if !slices.Contains(links, "models") && c.frozen.Start != "" && c.lost[c.modelName(rundir.StartModel)] == "" {
		files = append(files, c.folder.Model(rundir.StartModel))
	}
	for _, file := range files {
		to := scratch.Path(c.name(file))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := copyFile(file, to); err != nil {
			return err
		}
	}
	return nil
}

// link creates the folder to, with symbolic links to all files and folders in the folder from. If
// symbolic links are not possible, it makes hard links to the files, and copies files that are on
// another drive.
func link(from, to string) error {
	from, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		old, made := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		err := symlink(old, made)
		if err != nil && e.IsDir() {
			err = link(old, made)
		} else if err != nil && os.Link(old, made) != nil {
			err = copyFile(old, made)
		} else {
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// symlink makes a symbolic link. On Windows it always fails, because most Windows users are not
// allowed to make symbolic links.
var symlink = func(old, made string) error {
	if runtime.GOOS == "windows" {
		return errors.ErrUnsupported
	}
	return os.Symlink(old, made)
}

// copyFile copies a file of a run. It reads the whole file into memory; every file of a run is
// small enough.
func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}
