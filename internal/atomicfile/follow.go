package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Follow resolves the symbolic links in a path. The result end is the absolute path without links,
// even if a link leads to a file that does not exist. Like the operating system, and unlike
// filepath.Clean, Follow interprets ".." after a link as the parent of the link's target. The
// result way lists the paths of all files, folders and links that path leads through, including
// end. In each of these paths, only the last element may be a link.
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
		if err != nil { // next is not a link, or does not exist yet
			end = next
			continue
		}
		if links++; links > 40 { // the same limit as in Linux
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

// absolute makes a path absolute. On Windows it calls filepath.Abs, because paths such as \tmp (on
// the current drive) and Z:x (in the current folder of drive Z) are not absolute. On other systems
// it must keep "..", which may follow a link.
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

// fromRoot splits an absolute path into its root and its elements below the root.
func fromRoot(path string) (root string, rest []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), names(path[len(volume):])
}

func names(path string) []string { return strings.Split(filepath.ToSlash(path), "/") }

// isBelow reports whether path is in folder or in one of its subfolders.
func isBelow(path, folder string) bool {
	separator := string(filepath.Separator)
	return strings.HasPrefix(path, strings.TrimSuffix(folder, separator)+separator)
}
