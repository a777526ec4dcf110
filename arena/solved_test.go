package arena

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// In a position with an H (an action that draws or wins), all actions that do not lose count as
// keeping the value.
func TestProblemsThatHold(t *testing.T) {
	const pos = `{"pos":"xx.oo....","moves":{`
	text := pos + `"c3":"W1","c2":"H","a1":"L2","b1":"L2","c1":"D"}}
` + pos + `"c3":"H","c2":"H","a1":"H","b1":"H","c1":"D"}}
` + pos + `"c3":"H","c2":"H","a1":"L2","b1":"?","c1":"D"}}
`
	set, err := ReadProblems(t.Context(), board, "lost.jsonl", strings.NewReader(text), nil)
	problems := set.Problems
	if err != nil || set.Even != 1 || set.Unknown != 1 || len(problems) != 1 {
		t.Fatalf("%+v, %v; want one problem, one even and one unknown position", set, err)
	}
	p := problems[0]
	for _, a := range p.Position.Legal(nil) {
		name := p.Position.ActionString(a)
		if want := name != "a1" && name != "b1"; p.Keep[a] != want {
			t.Errorf("%s keeps the value: %v", name, p.Keep[a])
		}
	}
	if p.Value != 'H' || p.Plies != 0 {
		t.Errorf("the position is %c in %d plies", p.Value, p.Plies)
	}
	if got, _ := Count(problems, []bool{false}); got.Wins != 0 || got.Positions != 1 || got.Thrown != 0 {
		t.Errorf("it counts as %+v", got)
	}
}

// An endless is a reader whose content is a text that repeats forever.
type endless struct {
	part string
	left string // unread rest of part
	end  func() // called whenever a new repetition of part begins
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == "" {
		e.left = e.part
		e.end()
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

// ReadProblems rejects a line without end, and stops reading a file without end when the context is
// cancelled.
func TestProblemsWithoutEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read := 0
	_, err := ReadProblems(ctx, board, "zero", &endless{part: strings.Repeat("\x00", 1<<10), end: func() {
		if read += 1 << 10; read > 1<<20 {
			t.Fatal("a line without end is read on")
		}
	}}, nil)
	if err == nil || !strings.Contains(err.Error(), "zero line 1: the line has more than") {
		t.Errorf("a line without end: %v", err)
	}
	lines := 0
	_, err = ReadProblems(ctx, board, "lines", &endless{part: "{\"pos\":\"xx.oo....\",\"moves\":{\"c3\":\"?\"}}\n", end: func() {
		if lines++; lines == 1000 {
			cancel()
		}
	}}, nil)
	if !errors.Is(err, context.Canceled) || lines > 2000 {
		t.Errorf("interrupted it ends with %v after %d lines", err, lines)
	}
}

// A small compressed file may contain a very long line. ReadProblems rejects it early.
func TestCompressedProblemsAreBounded(t *testing.T) {
	var file bytes.Buffer
	w := gzip.NewWriter(&file)
	if _, err := io.CopyN(w, &endless{part: strings.Repeat(" ", 1<<16), end: func() {}}, 1<<25); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	left := bytes.NewReader(file.Bytes())
	_, err := ReadProblems(t.Context(), board, "blanks.gz", left, nil)
	if err == nil || !strings.Contains(err.Error(), "the line has more than") || left.Len() < file.Len()/2 {
		t.Errorf("%d bytes of %d are left, %v", left.Len(), file.Len(), err)
	}
}
