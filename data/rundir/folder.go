// Package rundir reads and writes the folder of a run: it defines the layout and the
// names of its files, commits generations, and locks the folder for the processes
// that work on it. All other packages get the paths of a run's files from here.
//
//	run.yaml                                  the frozen configuration, as text
//	samples/gen-000012/shard-000003.parquet   games 12 played, a shard at a time
//	models/000012.safetensors                 the candidate of generation 12
//	models/start.safetensors                  the model that the run began with, if it did
//	trainer/000012.safetensors                the trainer's state behind it
//	gates/000012.jsonl                        the games of its match
//	generations/000012.json                   its record: with it the generation is committed
//	generations/000012.sha256                 the hashes of what it made, see [Folder.Listing]
//	best                                      the model that plays next
//	metrics.jsonl, events.out.tfevents.dojo*  made from generations/; they grow in place
//	ledger.jsonl                              which results came from workers, see package audit
//	rollbacks/000000.json, rollbacks/000000/  what --back-to moved aside, see [Return]
//	solved.jsonl                              how models of the run answer solved positions
//	lock, locks/                              see [Lock]
//	students/HASH-KIND.safetensors            models distilled from those of the run, by older programs
//	cluster/                                  who works for the trainer, see [Workers], and its log
//
// These names are the run's own; see [Refuse].
//
// A generation has a number from 0 and leaves behind one model, named by that
// number in six digits. Files appear whole or not at all: see package
// atomicfile. What a file holds is for others to say: the configuration is
// package configs', a shard package data's, a record package train's.
package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/regular"
	"dojo.example/model"
)

// A Folder is the path of a run.
type Folder string

// Path is the file or folder of the run with the given path inside it.
func (f Folder) Path(elem ...string) string {
	return filepath.Join(append([]string{string(f)}, elem...)...)
}

// Base is the last element of the folder's path.
func (f Folder) Base() string { return filepath.Base(string(f)) }

// ModelName names the model that a generation trains.
func ModelName(generation int) string { return fmt.Sprintf("%06d", generation) }

// StartModel is the name of the model that a run began with, instead of random weights.
const StartModel = "start"

// IsModelName reports whether a run may have a model of this name.
func IsModelName(name string) bool {
	if name == StartModel {
		return true
	}
	n, err := strconv.Atoi(name)
	return err == nil && n >= 0 && name == ModelName(n)
}

// Model is the file of the named model.
func (f Folder) Model(name string) string { return f.Path("models", name+".safetensors") }

// TrainerState is the file of the trainer's state after a generation.
func (f Folder) TrainerState(generation int) string {
	return f.Path("trainer", ModelName(generation)+".safetensors")
}

// Gate is the file with the games of a generation's match.
func (f Folder) Gate(generation int) string { return f.Path("gates", ModelName(generation)+".jsonl") }

// Gates lists the generations of which the match has been kept, in order.
func (f Folder) Gates() ([]int, error) { return numbered(f.Path("gates"), "", ".jsonl") }

// Record is the file of a generation's record.
func (f Folder) Record(generation int) string {
	return f.Path("generations", ModelName(generation)+".json")
}

// Metrics is the file with all records, a line each.
func (f Folder) Metrics() string { return f.Path("metrics.jsonl") }

// Solved is the path of what is known of the candidates' answers to positions of known
// value, a line of JSON each. Nothing in a run needs it; the dashboard shows it. A return
// moves the lines of models that it undoes aside.
func (f Folder) Solved() string { return f.Path("solved.jsonl") }

// Of is the run that a model's file lies in; "" if it lies in none.
func Of(model string) Folder {
	if dir := filepath.Dir(model); filepath.Base(dir) == "models" {
		return Folder(filepath.Dir(dir))
	}
	return ""
}

// ErrNoRun means that a folder holds no run.
var ErrNoRun = errors.New("no run here")

// ConfigPath is the file of the frozen configuration.
func (f Folder) ConfigPath() string { return f.Path("run.yaml") }

// MaxConfig is the most bytes that a configuration may have; written by us it
// has some 1,500.
const MaxConfig = 1 << 16

// Config is the text of the frozen configuration. A folder without one is
// [ErrNoRun].
func (f Folder) Config() ([]byte, error) {
	text, err := regular.ReadText(f.ConfigPath(), MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", f, f.noRun())
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", f, err)
	}
	return text, nil
}

// noRun is ErrNoRun with the reason.
func (f Folder) noRun() error {
	if _, err := os.Stat(string(f)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no such folder", ErrNoRun)
	}
	return fmt.Errorf("%w: run.yaml is missing", ErrNoRun)
}

// Begin makes a run with the text of its configuration, and the model that it begins
// with, if that is not nil. The folder may hold what a process left that was killed while it
// began a run, and nothing else.
func (f Folder) Begin(config []byte, start *model.Checkpoint) error {
	if err := Refuse(string(f)); err != nil {
		return err
	}
	if err := f.vacant(); err != nil {
		return err
	}
	lock, err := f.LockStages()
	if err != nil {
		return fmt.Errorf("begin run %s: %w", f, err)
	}
	if start != nil {
		err = start.Save(f.Model(StartModel))
	} else if err = os.Remove(f.Model(StartModel)); errors.Is(err, fs.ErrNotExist) { // of a beginning that was killed
		err = nil
	}
	if err == nil {
		err = f.Freeze(config)
	}
	return errors.Join(err, lock.Close())
}

// vacant returns an error if the folder holds anything except what a killed beginning
// leaves: locks, the list of workers, temporary files, the model to begin with, and empty folders.
func (f Folder) vacant() error {
	return filepath.WalkDir(string(f), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == string(f) {
			return fs.SkipAll
		}
		if err != nil {
			return fmt.Errorf("begin run %s: %w", f, err)
		}
		name, err := filepath.Rel(string(f), path)
		if err != nil {
			return err
		}
		if name == "locks" || name == "cluster" {
			return fs.SkipDir
		}
		if name == "." || name == "lock" || path == f.Model(StartModel) || d.IsDir() && slices.Contains(folders, name) || atomicfile.IsTemporary(d.Name()) {
			return nil
		}
		return fmt.Errorf("%s is not empty and holds no run; choose another folder with --run", f)
	})
}

// Freeze keeps the text of a configuration in the folder; the stages must be
// locked. With it the folder holds a run.
func (f Folder) Freeze(text []byte) error {
	return atomicfile.WriteBytes(f.ConfigPath(), text)
}

// Best is the name of the model that plays next.
func (f Folder) Best() (string, error) {
	text, err := regular.Read(f.Path("best"), MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		if last, err := f.lastRecord(); err == nil && last >= 0 {
			return "", fmt.Errorf("%s is missing, though generations are complete: dojo train --run %s writes it again", f.Path("best"), f)
		}
		return "", fmt.Errorf("run %s has no model yet: its first generation is not complete", f)
	}
	if err != nil {
		return "", fmt.Errorf("run %s: %w", f, err)
	}
	if name := strings.TrimSpace(string(text)); name == model.NoModel || IsModelName(name) {
		return name, nil
	}
	return "", fmt.Errorf("%s does not hold the name of a model of the run", f.Path("best"))
}

// BestModel is the file of the model that plays next. A run without one is an
// error that says what to do.
func (f Folder) BestModel() (string, error) {
	name, err := f.Best()
	if err != nil {
		return "", err
	}
	if name == model.NoModel {
		return "", fmt.Errorf("run %s: no model has beaten the search without one yet; name one of its models/*.safetensors", f)
	}
	if _, err := os.Stat(f.Model(name)); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s names a model that is missing: %s", f.Path("best"), f.Model(name))
	}
	return f.Model(name), nil
}

// ModelFile is the file of a model: path itself, or the best of the run there.
func ModelFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("model %s: %w", path, errors.Unwrap(err))
	}
	if !info.IsDir() {
		return path, nil
	}
	if _, err := os.Stat(Folder(path).ConfigPath()); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("model %s: %w", path, Folder(path).noRun())
	}
	return Folder(path).BestModel()
}

// folders are the names of the folders that LockStages makes.
var folders = []string{"samples", "models", "trainer", "gates", "generations", "locks"}

// makeFolders makes what is missing of the run's folders.
func (f Folder) makeFolders() error {
	for _, name := range folders {
		if err := os.MkdirAll(f.Path(name), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// Forget removes the trainer's states of a generation and of those before it, except those
// of every nth generation: with an every of 16 it keeps those of generations 15, 31 and so
// on, with 0 none.
func (f Folder) Forget(generation, every int) error {
	all, err := numbered(f.Path("trainer"), "", ".safetensors")
	if err != nil {
		return fmt.Errorf("forget old trainer state: %w", err)
	}
	for _, n := range all {
		if n <= generation && (every == 0 || (n+1)%every != 0) {
			if err := os.Remove(f.TrainerState(n)); err != nil {
				return fmt.Errorf("forget old trainer state: %w", err)
			}
		}
	}
	return nil
}
