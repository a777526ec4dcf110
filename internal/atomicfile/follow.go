package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Follow follows the symbolic links of a path, also dangling ones, and returns the
// absolute path without them. Unlike filepath.Clean it takes ".." as the system does, as the
// parent of what a link leads to. way has the files and folders that the path goes through, its
// end and the links included; the paths of their folders have no links.
func Follow(path string) (end string, way []string, err error) {
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return "", nil, err
		}
		path = here + string(filepath.Separator) + path
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
		if filepath.IsAbs(link) {
			end, more = fromRoot(link)
		}
		rest = append(more, rest...)
	}
	return end, way, nil
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
