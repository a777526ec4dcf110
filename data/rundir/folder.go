// Package rundir manages the folder of a run. It defines the names of all files, commits
// generations, and locks the folder for the processes that work on the run. All other packages get
// the paths of a run's files from this one.
//
//	run.yaml                                  the frozen configuration
//	samples/gen-000012/shard-000003.parquet   a shard: some of the games that generation 12 played
//	models/000012.safetensors                 the candidate of generation 12
//	models/start.safetensors                  the model that the run started from, if any
//	trainer/000012.safetensors                the state of the trainer after generation 12
//	gates/000012.jsonl                        the games of generation 12's gate
//	generations/000012.json                   the record that commits generation 12
//	generations/000012.sha256                 the hashes of generation 12's files, see [Folder.Listing]
//	best                                      the name of the model that plays next
//	metrics.jsonl, events.out.tfevents.dojo*  made from generations/; they grow in place
//	ledger.jsonl                              which results came from workers, see package audit
//	rollbacks/000000.json, rollbacks/000000/  files that --back-to moved aside, see [Return]
//	solved.jsonl                              how models of the run answer solved positions
//	lock, locks/                              locks, see [Lock]
//	students/HASH-KIND.safetensors            models distilled from the run's, by older programs
//	cluster/                                  the list of workers, see [Workers], and the hub's log
//
// [Refuse] prevents other code from using these names in the run's folder.
//
// Generations are numbered from 0. Each generation trains one model, the candidate, whose name is
// the generation's number in six digits. In the gate, a match, the candidate plays against the best
// model so far. A file appears whole or not at all; see package atomicfile. Package rundir does not
// interpret the content of the files. Package configs reads the configuration, package data the
// shards, and package train the records.
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

// A Folder is the path of a run's folder.
type Folder string

// Path joins path elements to the folder's path.
func (f Folder) Path(elem ...string) string {
	return filepath.Join(append([]string{string(f)}, elem...)...)
}

// Base is the last element of the folder's path.
func (f Folder) Base() string { return filepath.Base(string(f)) }

// ModelName is the name of the model that a generation trains: its number in six digits.
func ModelName(generation int) string { return fmt.Sprintf("%06d", generation) }

// StartModel is the name of the model from which a run started, if it did not start from random
// weights.
const StartModel = "start"

// IsModelName reports whether name is a valid name for a model of a run.
func IsModelName(name string) bool {
	if name == StartModel {
		return true
	}
	n, err := strconv.Atoi(name)
	return err == nil && n >= 0 && name == ModelName(n)
}

// Model is the path of a model's file.
func (f Folder) Model(name string) string { return f.Path("models", name+".safetensors") }

// TrainerState is the path of the trainer's state after a generation.
func (f Folder) TrainerState(generation int) string {
	return f.Path("trainer", ModelName(generation)+".safetensors")
}

// Gate is the path of the file with the games of a generation's gate.
func (f Folder) Gate(generation int) string { return f.Path("gates", ModelName(generation)+".jsonl") }

// Gates lists the generations whose gate file exists, in order.
func (f Folder) Gates() ([]int, error) { return numbered(f.Path("gates"), "", ".jsonl") }

// Record is the path of the record of a generation. The record commits the generation.
func (f Folder) Record(generation int) string {
	return f.Path("generations", ModelName(generation)+".json")
}

// Metrics is the path of metrics.jsonl, which has one line for each committed generation.
func (f Folder) Metrics() string { return f.Path("metrics.jsonl") }

// Solved is the path of solved.jsonl. Each line is a JSON object that says how well a model plays
// in positions of known value. The dashboard shows these results; nothing else in a run needs them.
// When the run goes back to an earlier generation, the lines about removed models are moved out of
// the file.
func (f Folder) Solved() string { return f.Path("solved.jsonl") }

// Of returns the folder of the run to which a model's file belongs. It returns "" if the file does
// not belong to a run.
func Of(model string) Folder {
	if dir := filepath.Dir(model); filepath.Base(dir) == "models" {
		return Folder(filepath.Dir(dir))
	}
	return ""
}

// ErrNoRun means that a folder does not hold a run.
var ErrNoRun = errors.New("no run here")

// ConfigPath is the path of the frozen configuration.
func (f Folder) ConfigPath() string { return f.Path("run.yaml") }

// MaxConfig is the largest size of a configuration in bytes. The configurations that dojo writes
// are about 1,500 bytes long.
const MaxConfig = 1 << 16

// Config reads the text of the frozen configuration. If there is none, the error is [ErrNoRun].
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

// noRun returns ErrNoRun together with the reason why the folder does not hold a run.
func (f Folder) noRun() error {
	if _, err := os.Stat(string(f)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no such folder", ErrNoRun)
	}
	return fmt.Errorf("%w: run.yaml is missing", ErrNoRun)
}

// Begin creates a run with the given configuration text. start is the model from which the run
// starts, or nil. The folder must be empty. It may contain what an earlier call of Begin left when
// its process was killed.
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
	} else if err = os.Remove(f.Model(StartModel)); errors.Is(err, fs.ErrNotExist) { // left by a Begin that was killed
		err = nil
	}
	if err == nil {
		err = f.Freeze(config)
	}
	return errors.Join(err, lock.Close())
}

// vacant returns an error if the folder contains anything except what Begin leaves if it is killed:
// locks, the list of workers, temporary files, the start model, and empty folders.
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

// Freeze writes the text of a configuration to the folder. From then on the folder is a run. The
// caller has locked the stages of the run (see [Folder.LockStages]).
func (f Folder) Freeze(text []byte) error {
	return atomicfile.WriteBytes(f.ConfigPath(), text)
}

// Best returns the name of the model that plays the next games of self-play.
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
	return "", fmt.Errorf("%s does not hold the name of a model of the run: dojo train --run %s writes it again", f.Path("best"), f)
}

// BestModel returns the path of the model that plays the next games of self-play. If the run has no
// such model, the error says what to do.
func (f Folder) BestModel() (string, error) {
	name, err := f.Best()
	if err != nil {
		return "", err
	}
	if name == model.NoModel {
		return "", fmt.Errorf("run %s: no model has beaten the search without a network yet; choose one of the files models/*.safetensors instead", f)
	}
	if _, err := os.Stat(f.Model(name)); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s names a model that is missing: %s; restore it, or choose another model", f.Path("best"), f.Model(name))
	}
	return f.Model(name), nil
}

// ModelFile returns the path of a model's file: path itself, or the best model of the run if path
// is a folder.
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

// folders lists the folders in a run's folder that LockStages creates.
var folders = []string{"samples", "models", "trainer", "gates", "generations", "locks"}

// makeFolders creates the run's folders that do not exist.
func (f Folder) makeFolders() error {
	for _, name := range folders {
		if err := os.MkdirAll(f.Path(name), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// Forget removes the trainer states of the given generation and of all earlier generations. The
// parameter every makes it keep some of them: with 16, for example, it keeps the states of
// generations 15, 31 and so on. With 0, it keeps none.
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
