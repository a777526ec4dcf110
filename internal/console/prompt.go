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

// A Prompt asks for a line and shows what is being waited for. On a terminal a line can be edited,
// earlier ones come back with the arrows, and Tab completes. The terminal is raw only while a line
// is asked for, so that an interrupt ends the program at other times. Elsewhere lines are read as
// they come.
type Prompt struct {
	out   io.Writer
	lines *bufio.Reader  // from a pipe or a file; nil on a terminal
	term  *term.Terminal // nil elsewhere
	fd    int            // of the terminal
	words func() []string
}

// NewPrompt returns a prompt, on a terminal if stdin and stdout are one. Tab completes words.
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

// Ask shows text and returns the line that is typed; io.EOF if there will be no more.
func (p *Prompt) Ask(text string) (line string, err error) {
	end := "\n"
	if p.term != nil {
		line, err = p.edit(text)
		end = "\r\n" // after Ctrl-C or Ctrl-D
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

// edit lets a line be edited on the terminal.
func (p *Prompt) edit(text string) (string, error) {
	before, err := term.MakeRaw(p.fd)
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(p.fd, before) }() // nothing else can be done about it
	if width, height, err := term.GetSize(p.fd); err == nil && width > 0 {
		if err := p.term.SetSize(width, height); err != nil {
			return "", err
		}
	}
	p.term.SetPrompt(text)
	return p.term.ReadLine()
}

// Wait shows on a terminal what is being waited for, until Done.
func (p *Prompt) Wait(text string) {
	if p.term != nil {
		fmt.Fprint(p.out, text)
	}
}

// Done removes what Wait has shown.
func (p *Prompt) Done() { p.Wait("\r\x1b[K") }

// complete is the callback of the terminal: Tab extends the line by what all
// words that begin with it have in common.
func (p *Prompt) complete(line string, at int, key rune) (string, int, bool) {
	if key != '\t' || at != len(line) {
		return "", 0, false
	}
	line = completed(line, p.words())
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
