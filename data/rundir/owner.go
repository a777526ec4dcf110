package rundir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dojo.example/internal/atomicfile"
)

// own lists the names in a run's folder that belong to the run; see the package comment. Users may
// put other files there, for example an exported bot.
var own = []string{
	"run.yaml", "best", "metrics.jsonl", "ledger.jsonl", "solved.jsonl", "lock", "locks",
	"samples", "models", "trainer", "gates", "generations", "students", "rollbacks", "cluster",
}

// isEvents reports whether a name is the name of an events file. It ignores case, as some file
// systems do.
func isEvents(name string) bool { return strings.HasPrefix(strings.ToLower(name), eventsName) }

// Refuse returns an error if path is one of a run's own files or is inside one of its folders. The
// path need not exist. Call Refuse before you write to a path that the user chose.
func Refuse(path string) error {
	_, way, err := atomicfile.Follow(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, at := range way {
		folder, name := filepath.Split(at)
		same := func(n string) bool { return strings.EqualFold(n, name) } // some file systems ignore case
		if f := Folder(filepath.Clean(folder)); (slices.ContainsFunc(own, same) || isEvents(name)) && f.exists() {
			return fmt.Errorf("%s belongs to the run %s, whose files only training writes; choose another place", path, f)
		}
	}
	return nil
}

// RefuseFolder is like Refuse, for a folder into which something other than a run will be written.
// It also returns an error if path is the folder of a run.
func RefuseFolder(path string) error {
	if Folder(path).exists() {
		return fmt.Errorf("%s holds a run; choose another folder", path)
	}
	return Refuse(path)
}

// exists reports whether the folder holds a run, even if its configuration cannot be read.
func (f Folder) exists() bool {
	_, err := os.Lstat(f.ConfigPath())
	return err == nil
}
