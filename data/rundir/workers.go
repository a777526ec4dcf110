package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/bounded"
	"dojo.example/internal/regular"
)

// AwayAfter is how long a worker may send no message before it counts as away.
const AwayAfter = 10 * time.Second

// Workers lists the workers that help with a run. The process that trains the run writes the list
// to a file.
type Workers struct {
	Time    time.Time `json:"time"`           // time at which the list was written
	Over    bool      `json:"over,omitempty"` // whether the process that wrote the list has ended
	Workers []Worker  `json:"workers"`

	Free     int `json:"free"`     // number of tasks without a result on which nobody works
	Held     int `json:"held"`     // number of tasks that the workers and the trainer are doing now
	Accepted int `json:"accepted"` // number of the workers' results that were accepted since the trainer started
	Refused  int `json:"refused"`  // number of the workers' results since then that were invalid or wrong
}

// A Worker describes one worker. The worker itself reports Name, Program, System and Goroutines;
// the trainer fills in the rest.
type Worker struct {
	Name       string    `json:"name"`
	Program    string    `json:"program"` // version of the worker's program
	System     string    `json:"system"`  // operating system and architecture, such as linux/arm64
	Joined     time.Time `json:"joined"`
	Seen       time.Time `json:"seen"` // time of the worker's last message
	Goroutines int       `json:"goroutines"`

	Held           int     `json:"held"`             // number of tasks that the worker is doing now
	Tasks          int     `json:"tasks"`            // number of tasks whose results were accepted
	Games          int     `json:"games"`            // number of games in the accepted results
	GamesPerSecond float64 `json:"games_per_second"` // games per second over about the last minute

	Refused string `json:"refused,omitempty"` // why the worker may not work; "" if it may
}

// WorkersPath is the path, in a run's folder, of the list of workers. The file exists if the
// process that trains the run also accepts workers.
const WorkersPath = "cluster/workers.json"

// maxWorkers is the largest size of the file in bytes. The trainer limits the number of workers and
// the length of their texts, so its files are smaller.
const maxWorkers = 1 << 23

// WriteWorkers writes the list of workers to a file.
func WriteWorkers(path string, w Workers) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // if <, > and & were escaped, each would take six bytes instead of one
	if err := e.Encode(w); err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, text.Bytes())
}

// Workers reads the list of the workers that help with the run. If the file does not exist, the
// list is empty.
func (f Folder) Workers() (w Workers, err error) { return ReadWorkers(f.Path(WorkersPath)) }

// ReadWorkers reads a list that WriteWorkers wrote. If the file does not exist, the list is empty.
func ReadWorkers(path string) (w Workers, err error) {
	text, err := regular.Read(path, maxWorkers)
	if errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	if err != nil {
		return w, err
	}
	err = bounded.Unmarshal(text, &w)
	return w, err
}
