// Package scratch makes folders for temporary files. A process that is killed cannot remove its folder;
// the next one that makes a folder does, because nobody holds its lock any more.
package scratch

import (
	"io/fs"
	"os"
	"time"

	"dojo.example/internal/atomicfile"
)

// abandoned is the age after which a folder is removed where locks tell nothing.
const abandoned = 24 * time.Hour

// Folder makes a folder in the system's folder for temporary files. remove removes it with all that is in it.
func Folder() (dir string, remove func(), err error) {
	recent := func(f fs.FileInfo) bool { return time.Since(f.ModTime()) < abandoned }
	_ = atomicfile.Clean(os.TempDir(), recent) // what cannot be removed stays: it may be another user's
	return atomicfile.MakeTemp(os.TempDir())
}
