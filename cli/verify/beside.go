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

// beside calls do with the run open in a temporary folder, which gets what is computed again:
// nothing is written into the run's own. The folder has the run's records, and links to what
// is in the folders that are named.
func (c *check) beside(links []string, do func(r *train.Run, scratch rundir.Folder) error) (err error) {
	dir, remove, err := temporary.Folder("verify")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	scratch := rundir.Folder(dir)
	if err := c.mirror(scratch, links); err != nil {
		return fmt.Errorf("a folder for what is computed again: %w", err)
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

// stages reports the stages of a run that is made again, and no generations.
type stages struct{ train.Reporter }

func (stages) Generation(train.Metrics) {}

// mirror makes scratch a run with the same records.
func (c *check) mirror(scratch rundir.Folder, links []string) error {
	for _, name := range links {
		if err := link(c.folder.Path(name), scratch.Path(name)); err != nil {
			return err
		}
	}
	files := []string{c.folder.ConfigPath()}
	for g := range c.done {
		files = append(files, c.folder.Record(g))
		if c.listed[g] != nil { // without its listing nothing of the generation is read
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

// link makes the folder to, with links to the files and folders in from. Without symbolic links it links
// each file, or copies it from another drive.
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

// symlink makes a symbolic link. Ordinary users of Windows may not, so that nobody does there.
var symlink = func(old, made string) error {
	if runtime.GOOS == "windows" {
		return errors.ErrUnsupported
	}
	return os.Symlink(old, made)
}

// copyFile copies a file of a run, which fits into memory.
func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}
