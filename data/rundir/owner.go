package rundir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dojo.example/internal/atomicfile"
)

// own are the names in a run's folder that are the run's; see the package comment. People may put
// other files beside them, such as an exported bot.
var own = []string{
	"run.yaml", "best", "metrics.jsonl", "ledger.jsonl", "solved.jsonl", "lock", "locks",
	"samples", "models", "trainer", "gates", "generations", "students", "rollbacks", "cluster",
}

// isEvents reports whether a name is one of an events file; some file systems ignore case.
func isEvents(name string) bool { return strings.HasPrefix(strings.ToLower(name), eventsName) }

// Refuse returns an error if a path, which need not exist, belongs to the folder of a run. Code
// that writes to a path given by the user calls it first.
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

// RefuseFolder is Refuse for a folder that is to hold something other than a run: the folder of a
// run is an error too.
func RefuseFolder(path string) error {
	if Folder(path).exists() {
		return fmt.Errorf("%s holds a run; choose another folder", path)
	}
	return Refuse(path)
}

// exists reports whether the folder holds a run, readable or not.
func (f Folder) exists() bool {
	_, err := os.Lstat(f.ConfigPath())
	return err == nil
}
