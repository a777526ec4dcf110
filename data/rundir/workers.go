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

// AwayAfter is the age of the last message of a worker that is away.
const AwayAfter = 10 * time.Second

// Workers is who helps the process that trains a run, as that process wrote it down last.
type Workers struct {
	Time    time.Time `json:"time"`           // when it was written
	Over    bool      `json:"over,omitempty"` // the process has ended since
	Workers []Worker  `json:"workers"`
}

// A Worker is what the trainer knows of one. Name, Program, System and Goroutines are what the
// worker says of itself; the rest is what the trainer has counted.
type Worker struct {
	Name       string    `json:"name"`
	Program    string    `json:"program"` // its version
	System     string    `json:"system"`  // such as linux/arm64
	Joined     time.Time `json:"joined"`
	Seen       time.Time `json:"seen"` // when it was last heard of
	Goroutines int       `json:"goroutines"`

	Held           int     `json:"held"`             // tasks that it is working on: its leases
	Tasks          int     `json:"tasks"`            // whose results were accepted
	Games          int     `json:"games"`            // in these
	GamesPerSecond float64 `json:"games_per_second"` // about the last minute's

	Refused string `json:"refused,omitempty"` // why it may not work; "" if it may
}

// WorkersPath is the file of who helps, in the folder that an embedded server has in a run.
const WorkersPath = "cluster/workers.json"

// maxWorkers is the most bytes that the file may have. A trainer limits the number of workers and the length of
// what they say of themselves so that it has fewer.
const maxWorkers = 1 << 23

// WriteWorkers writes down who helps.
func WriteWorkers(path string, w Workers) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // which would make six bytes of one
	if err := e.Encode(w); err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, text.Bytes())
}

// Workers reads who helps; nobody, if nothing is written down.
func (f Folder) Workers() (w Workers, err error) { return ReadWorkers(f.Path(WorkersPath)) }

// ReadWorkers reads who helps from the file that WriteWorkers has written; nobody, if it is not
// there.
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
