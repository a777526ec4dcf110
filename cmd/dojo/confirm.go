package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"dojo/internal/output"
	"dojo/run"

	"golang.org/x/term"
)

// replacing is the policy of a verb with --force: who sits at a terminal is
// asked, elsewhere nothing is replaced without it. Files of runs never are.
func (a *app) replacing(ctx context.Context, force bool) output.Policy {
	p := output.Policy{Refuse: run.Refuse, Force: force}
	if in, ok := a.stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		p.Ask = func(question string) (bool, error) { return confirm(ctx, a.stdin, a.stderr, question) }
	}
	return p
}

// confirm puts a question and waits for a line; all but y and yes is no.
func confirm(ctx context.Context, in io.Reader, out io.Writer, question string) (yes bool, err error) {
	fmt.Fprintf(out, "%s [y/N] ", question)
	line := make(chan string, 1)
	go func() { // stays behind if interrupted, as a read of a terminal cannot be
		text, _ := bufio.NewReader(in).ReadString('\n') // the end of the input is no
		line <- text
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(out)
		return false, ctx.Err()
	case text := <-line:
		text = strings.ToLower(strings.TrimSpace(text))
		return text == "y" || text == "yes", nil
	}
}
