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

// A Folder is a place to which a result can be written as a folder of files. OpenFolder checks the
// place and returns the Folder.
type Folder struct {
	Name string // name of the place, as the user wrote it

	path   string // absolute path of the place with symbolic links resolved
	exists bool   // the place is an empty folder, or an earlier result that may be replaced
}

// OpenFolder checks that the folder called name can be written, and that p allows it. An existing
// folder can be replaced if it is empty or, with permission, if it is an earlier result. A folder
// is an earlier result if it contains the file called mark and no files that are not in names.
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

// firstThere returns the topmost file or folder that Write would create: path itself, or the folder
// above it whose parent already exists.
func firstThere(path string) string {
	for {
		parent := filepath.Dir(path)
		if _, err := os.Stat(parent); !errors.Is(err, fs.ErrNotExist) || parent == path {
			return path
		}
		path = parent
	}
}

// Write creates the folder with files, a map from names to contents. It fills a temporary folder
// next to the final place and then renames it. If it returns an error, nothing of the new folder
// remains, and an earlier result is unchanged.
func (f *Folder) Write(files map[string][]byte) error {
	parent := filepath.Dir(f.path)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return cause(f.Name, err)
	}
	work, remove, err := atomicfile.MakeTemp(parent)
	if err != nil {
		return cause(f.Name, err)
	}
	defer remove() // remove deletes the earlier result or, after an error, the new files
	made, old := filepath.Join(work, "new"), filepath.Join(work, "old")
	err = fill(made, files)
	if err == nil && f.exists {
		err = atomicfile.Rename(f.path, old)
	}
	if err == nil {
		if err = atomicfile.Rename(made, f.path); err != nil && f.exists {
			_ = atomicfile.Rename(old, f.path) // ignore this error, because the first error says what is wrong
		}
	}
	return cause(f.Name, err)
}

// fill creates a folder with the given files.
func fill(dir string, files map[string][]byte) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := atomicfile.WriteBytes(filepath.Join(dir, name), files[name]); err != nil {
			return fmt.Errorf("%s: %w", name, errors.Unwrap(err)) // Unwrap removes the name of the temporary folder from the error
		}
	}
	return nil
}
