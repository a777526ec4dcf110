package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/bounded"
	"dojo.example/internal/regular"
)

// A Plan says what is tuned and how. It is the first line of a file, whose other lines are Steps.
type Plan struct {
	Player     string     `json:"player"` // whose constants are tuned
	Model      string     `json:"model"`  // its hash
	Budget     string     `json:"budget"` // of a move
	Openings   int        `json:"openings"`
	Games      int        `json:"games"` // of an iteration
	Iterations int        `json:"iterations"`
	Seed       uint64     `json:"seed"`
	Constants  []Constant `json:"constants"`
}

// maxFile is the most bytes that a file may have.
const maxFile = 1 << 28

// A File keeps a plan and the iterations that were played.
type File struct {
	path  string
	lines bytes.Buffer
	Steps []Step
}

// OpenFile reads the file at path, which need not exist yet. A file of another plan is an error.
func OpenFile(path string, plan Plan) (*File, error) {
	f := &File{path: path}
	text, err := regular.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return f, f.add(plan)
	}
	if err != nil {
		return nil, err
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if number == 1 {
			var was Plan
			if err := bounded.Unmarshal(line, &was); err != nil {
				return nil, fmt.Errorf("%s:1: %w", path, err)
			}
			if !reflect.DeepEqual(was, plan) {
				return nil, fmt.Errorf("%s is of another tuning: of %s with %s a move, %d iterations of %d games, seed %d; choose another file",
					path, bounded.Quote(was.Player), bounded.Clip(was.Budget), was.Iterations, was.Games, was.Seed)
			}
			continue
		}
		var x Step
		if err := bounded.Unmarshal(line, &x); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		f.Steps = append(f.Steps, x)
	}
	f.lines.Write(text)
	return f, nil
}

// Add keeps an iteration.
func (f *File) Add(x Step) error {
	f.Steps = append(f.Steps, x)
	return f.add(x)
}

func (f *File) add(x any) error {
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	f.lines.Write(append(text, '\n'))
	return atomicfile.WriteBytes(f.path, f.lines.Bytes())
}
