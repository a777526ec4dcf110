package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"dojo.example/internal/bounded"
)

// A Report is the result of a command: text for people, and values for programs. As JSON, each
// value is printed on its own line. Package cli prints reports.
type Report struct {
	Text  string
	Lines []any
	Ends  error // reason why the text is incomplete; nil if it is complete
}

// Write writes the report as JSON or as text.
func (r Report) Write(w io.Writer, asJSON bool) error {
	if !asJSON {
		if _, err := io.WriteString(w, r.Text); err != nil {
			return err
		}
		return r.Ends
	}
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for _, v := range r.Lines {
		if err := encoder.Encode(v); err != nil {
			return err
		}
	}
	_, err := w.Write(lines.Bytes())
	return err
}

// Facts is a list of pairs of a name and a value. Each pair is printed on one line.
type Facts [][2]any

func (f Facts) String() string {
	var b strings.Builder
	for _, p := range f {
		fmt.Fprintf(&b, "%-12s %s\n", p[0], bounded.Visible(fmt.Sprint(p[1])))
	}
	return b.String()
}

// FirstError is a writer that stores its first error and then stops writing. Commands print to it
// without checking errors; the program checks once, at the end.
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

// Unwrap returns the underlying writer; see [IsTerminal].
func (f *FirstError) Unwrap() io.Writer { return f.W }

// Shared is a writer to W that several goroutines may use concurrently.
type Shared struct {
	W io.Writer // guarded by mu

	mu sync.Mutex
}

func (s *Shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.W.Write(p)
}
