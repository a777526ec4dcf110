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

// A Prompt asks the user for lines of text. It can also show what the program is waiting for. On a
// terminal the user can edit a line, recall earlier lines with the arrow keys, and complete words
// with Tab. The terminal is in raw mode only while the user types a line, so that at all other
// times Ctrl-C interrupts the program as usual. If the input is not a terminal, the prompt just
// reads lines.
type Prompt struct {
	out   io.Writer
	lines *bufio.Reader  // the input, if it is a pipe or a file; nil on a terminal
	term  *term.Terminal // nil if the input is not a terminal
	fd    int            // file descriptor of the terminal
	words func() []string
}

// NewPrompt returns a prompt. If both stdin and stdout are terminals, the user can edit lines, and
// the Tab key completes the words that the function words returns.
func NewPrompt(ctx context.Context, stdin io.Reader, stdout io.Writer, words func() []string) *Prompt {
	in, p := Interruptible(ctx, stdin), &Prompt{out: stdout, words: words}
	file, ok := stdin.(*os.File)
	if !ok || !IsTerminal(file) || !IsTerminal(stdout) {
		p.lines = bufio.NewReader(bounded.Lines(in))
		return p
	}
	p.fd = int(file.Fd())
	p.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&keys{r: in}, stdout}, "")
	p.term.AutoCompleteCallback = p.complete
	return p
}

// Ask shows text and returns the line that the user types. At the end of the input, it returns
// io.EOF.
func (p *Prompt) Ask(text string) (line string, err error) {
	end := "\n"
	if p.term != nil {
		line, err = p.edit(text)
		end = "\r\n" // ends the line on the screen after the user typed Ctrl-C or Ctrl-D in raw mode
	} else {
		fmt.Fprint(p.out, text)
		if line, err = p.lines.ReadString('\n'); errors.Is(err, io.EOF) && line != "" {
			err = nil
		}
	}
	if errors.Is(err, io.EOF) {
		fmt.Fprint(p.out, end)
	}
	return line, err
}

// edit lets the user type and edit a line on the terminal.
func (p *Prompt) edit(text string) (string, error) {
	before, err := term.MakeRaw(p.fd)
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(p.fd, before) }() // nothing can be done about errors
	if width, height, err := term.GetSize(p.fd); err == nil && width > 0 {
		if err := p.term.SetSize(width, height); err != nil {
			return "", err
		}
	}
	p.term.SetPrompt(text)
	return p.term.ReadLine()
}

// Wait shows text on a terminal until Done is called. The text says what the program is waiting
// for.
func (p *Prompt) Wait(text string) {
	if p.term != nil {
		fmt.Fprint(p.out, text)
	}
}

// Done erases the text that Wait has shown.
func (p *Prompt) Done() { p.Wait("\r\x1b[K") }

// complete is called by the terminal for each key. For Tab, it extends the line up to the point
// where the words that begin with it differ.
func (p *Prompt) complete(line string, at int, key rune) (string, int, bool) {
	if key != '\t' || at != len(line) {
		return "", 0, false
	}
	line = completed(line, p.words())
	return line, len(line), true
}

// completed returns the longest common prefix of all words that begin with line, ignoring case.
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
