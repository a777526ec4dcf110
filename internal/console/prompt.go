package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"dojo.example/internal/bounded"

	"golang.org/x/term"
)

// A Prompt asks for a line and shows what is being waited for.
type Prompt interface {
	Ask(text string) (string, error) // io.EOF: there will be no more
	Wait(text string)                // shows text, until Done
	Done()
}

// NewPrompt is a prompt on a terminal, if stdin and stdout are one, with words
// that Tab completes; else one that reads lines as they come.
func NewPrompt(ctx context.Context, stdin io.Reader, stdout io.Writer, words func() []string) Prompt {
	in := Interruptible(ctx, stdin)
	if file, ok := stdin.(*os.File); ok && IsTerminal(file) && IsTerminal(stdout) {
		e := &editor{file: file, out: stdout, words: words}
		e.term = term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{&keys{r: in}, stdout}, "")
		e.term.AutoCompleteCallback = e.complete
		return e
	}
	return &lines{in: bufio.NewReader(bounded.Lines(in)), out: stdout}
}

// lines is a prompt whose answers come from a pipe or a file.
type lines struct {
	in  *bufio.Reader
	out io.Writer
}

func (l *lines) Ask(text string) (string, error) {
	fmt.Fprint(l.out, text)
	line, err := l.in.ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(l.out)
	}
	return line, err
}

func (l *lines) Wait(string) {}
func (l *lines) Done()       {}

// editor is a prompt on a terminal: a line can be edited, earlier ones come
// back with the arrows, and Tab completes. The terminal is raw only while a
// line is asked for, so that an interrupt ends the program at other times.
type editor struct {
	file  *os.File
	out   io.Writer
	term  *term.Terminal
	words func() []string
}

func (e *editor) Ask(text string) (string, error) {
	fd := int(e.file.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(fd, before) }() // nothing else can be done about it
	if width, height, err := term.GetSize(fd); err == nil && width > 0 {
		if err := e.term.SetSize(width, height); err != nil {
			return "", err
		}
	}
	e.term.SetPrompt(text)
	line, err := e.term.ReadLine()
	if errors.Is(err, io.EOF) { // Ctrl-C or Ctrl-D
		fmt.Fprint(e.out, "\r\n")
	}
	return line, err
}

func (e *editor) Wait(text string) { fmt.Fprint(e.out, text) }
func (e *editor) Done()            { fmt.Fprint(e.out, "\r\x1b[K") }

// complete is the callback of the terminal: Tab extends the line by what all
// words that begin with it have in common.
func (e *editor) complete(line string, at int, key rune) (string, int, bool) {
	if key != '\t' || at != len(line) {
		return "", 0, false
	}
	line = completed(line, e.words())
	return line, len(line), true
}

// completed extends line by what all words that begin with it have in common, ignoring case.
func completed(line string, words []string) string {
	common, found := "", false
	for _, w := range words {
		if len(w) < len(line) || !strings.EqualFold(w[:len(line)], line) {
			continue
		}
		if !found {
			common, found = w, true
		}
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	if len(common) < len(line) {
		return line
	}
	return common
}
