package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"dojo.example/internal/bounded"
)

// Output is where a verb writes, for people or for programs: results to Out, progress and
// remarks to Err.
type Output struct {
	Out, Err io.Writer
	JSON     bool // results are JSON, an object a line, and nothing else
}

// PrintJSON writes each value on a line of its own.
func (o Output) PrintJSON(values ...any) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for _, v := range values {
		if err := encoder.Encode(v); err != nil {
			return err
		}
	}
	_, err := o.Out.Write(lines.Bytes())
	return err
}

// Facts writes pairs of a name and a value, a line each.
func (o Output) Facts(pairs [][2]any) {
	for _, p := range pairs {
		fmt.Fprintf(o.Out, "%-12s %s\n", p[0], bounded.Visible(fmt.Sprint(p[1])))
	}
}

// FirstError is a writer that keeps the first error and writes no more after it. Verbs print
// without looking at errors: the program looks once, at the end.
type FirstError struct {
	W   io.Writer
	Err error
}

func (f *FirstError) Write(p []byte) (n int, err error) {
	if f.Err != nil {
		return 0, f.Err
	}
	n, f.Err = f.W.Write(p)
	return n, f.Err
}

// Unwrap returns what f writes to; see [IsTerminal].
func (f *FirstError) Unwrap() io.Writer { return f.W }

// Shared lets several goroutines write to W.
type Shared struct {
	W io.Writer // guarded by mu

	mu sync.Mutex
}

func (s *Shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.W.Write(p)
}
