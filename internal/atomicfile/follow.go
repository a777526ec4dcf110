package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Follow follows the symbolic links of a path, also dangling ones, and returns the
// absolute path without them. Unlike filepath.Clean it takes ".." as the system does, as the
// parent of what a link leads to. way has the files and folders that the path goes through, its
// end and the links included; the paths of their folders have no links.
func Follow(path string) (end string, way []string, err error) {
	if path, err = absolute(path); err != nil {
		return "", nil, err
	}
	end, rest := fromRoot(path)
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			end = filepath.Dir(end)
			way = slices.DeleteFunc(way, func(p string) bool { return isBelow(p, end) })
			continue
		}
		next := filepath.Join(end, name)
		way = append(way, next)
		link, err := os.Readlink(next)
		if err != nil { // no link, or nothing yet
			end = next
			continue
		}
		if links++; links > 40 { // as many as Linux follows
			return "", nil, errors.New("too many symbolic links")
		}
		more := names(link)
		switch {
		case filepath.IsAbs(link):
			end, more = fromRoot(link)
		case runtime.GOOS == "windows" && strings.HasPrefix(filepath.ToSlash(link), "/"):
			end, more = fromRoot(filepath.VolumeName(end) + link)
		}
		rest = append(more, rest...)
	}
	return end, way, nil
}

// absolute returns a path that begins at a root. On Windows \tmp is on the drive of the current folder, and Z:x in the
// current folder of drive Z, though filepath.IsAbs is false for both; the system knows them. Elsewhere ".."
// stays, since it may follow a link.
func absolute(path string) (string, error) {
	if runtime.GOOS == "windows" {
		return filepath.Abs(path)
	}
	if filepath.IsAbs(path) {
		return path, nil
	}
	here, err := os.Getwd()
	return here + string(filepath.Separator) + path, err
}

// fromRoot splits an absolute path into its root and the names from there.
func fromRoot(path string) (root string, rest []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), names(path[len(volume):])
}

func names(path string) []string { return strings.Split(filepath.ToSlash(path), "/") }

// isBelow reports whether a path is in a folder or in one below it.
func isBelow(path, folder string) bool {
	separator := string(filepath.Separator)
	return strings.HasPrefix(path, strings.TrimSuffix(folder, separator)+separator)
}
