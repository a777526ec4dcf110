package output

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"dojo.example/internal/atomicfile"
)

// Folder is a place for a folder of files. OpenFolder has checked that it can be written.
type Folder struct {
	Name string // as the user wrote it

	path   string // absolute path with symbolic links resolved
	exists bool   // an empty folder, or an earlier result that the user allows us to replace
}

// OpenFolder checks that a folder called name may and can be written. An existing folder may be
// replaced if it is empty, or, with permission, if it is an earlier result: it contains the file
// mark, and only files whose names are in names.
func OpenFolder(name, mark string, names []string, p Policy) (*Folder, error) {
	path, _, err := atomicfile.Follow(name)
	if err != nil {
		return nil, cause(name, err)
	}
	f := &Folder{Name: name, path: path}
	if err := p.refuses(name); err != nil {
		return nil, err
	}
	if err := try(firstThere(path)); err != nil {
		return nil, cause(name, err)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return nil, cause(name, err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a folder", name)
	}
	f.exists = true
	if here, err := os.Stat("."); err == nil && os.SameFile(info, here) {
		return nil, fmt.Errorf("%s is the current folder, which cannot be replaced; name a folder in it", name)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, cause(name, err)
	}
	if len(entries) == 0 {
		return f, nil
	}
	isStrange := func(e fs.DirEntry) bool { return e.IsDir() || !slices.Contains(names, e.Name()) }
	isMark := func(e fs.DirEntry) bool { return e.Name() == mark }
	if i := slices.IndexFunc(entries, isStrange); i >= 0 || !slices.ContainsFunc(entries, isMark) {
		return nil, fmt.Errorf("%s is not an earlier result, because of %s in it; name an empty folder or a new one", name, entries[max(0, i)].Name())
	}
	return f, p.allow(name)
}

// firstThere returns path, or the nearest folder above it whose parent exists.
func firstThere(path string) string {
	for {
		parent := filepath.Dir(path)
		if _, err := os.Stat(parent); !errors.Is(err, fs.ErrNotExist) || parent == path {
			return path
		}
		path = parent
	}
}

// Write creates the folder with the given files, by name. It fills a temporary folder next to the
// final place and then renames it. On an error nothing of the new folder remains, and an earlier
// result is unchanged.
func (f *Folder) Write(files map[string][]byte) error {
	parent := filepath.Dir(f.path)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return cause(f.Name, err)
	}
	work, remove, err := atomicfile.MakeTemp(parent)
	if err != nil {
		return cause(f.Name, err)
	}
	defer remove() // also removes the earlier result, or everything after an error
	made, old := filepath.Join(work, "new"), filepath.Join(work, "old")
	err = fill(made, files)
	if err == nil && f.exists {
		err = atomicfile.Rename(f.path, old)
	}
	if err == nil {
		if err = atomicfile.Rename(made, f.path); err != nil && f.exists {
			_ = atomicfile.Rename(old, f.path) // ignore this error: the first one says what is wrong
		}
	}
	return cause(f.Name, err)
}

// fill creates a folder with files.
func fill(dir string, files map[string][]byte) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := atomicfile.WriteBytes(filepath.Join(dir, name), files[name]); err != nil {
			return fmt.Errorf("%s: %w", name, errors.Unwrap(err)) // leave out the temporary name of the folder
		}
	}
	return nil
}
