package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Find returns the runs at the given paths. A path is the folder of a run, or a folder that
// contains runs. If no path is given, Find looks in the folder called runs, which need not exist.
// Runs whose own folder was given come first in the list. No run is listed twice. If there is no
// run at a path, Find returns an error together with the runs at the other paths.
func Find(paths []string) (all []Folder, err error) {
	if len(paths) == 0 {
		all, err = below("runs")
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return all, err
	}
	var named, inside []Folder
	for _, path := range paths {
		_, none := Folder(path).Config()
		if !errors.Is(none, ErrNoRun) { // a run whose configuration cannot be read is also listed
			named = append(named, Folder(filepath.Clean(path)))
			continue
		}
		found, _ := below(path)
		if len(found) == 0 && err == nil {
			err = none
		}
		inside = append(inside, found...)
	}
	for _, f := range append(named, inside...) {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all, err
}

// below returns the runs in a folder, sorted by name.
func below(folder string) (all []Folder, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("find runs: %w", err)
	}
	for _, e := range entries {
		f := Folder(filepath.Join(folder, e.Name()))
		if info, err := os.Stat(string(f)); err != nil || !info.IsDir() {
			continue
		}
		if _, err := f.Config(); !errors.Is(err, ErrNoRun) {
			all = append(all, f)
		}
	}
	return all, nil
}
