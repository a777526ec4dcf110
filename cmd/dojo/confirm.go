package main

import (
	"context"
	"os"

	"dojo/internal/console"
	"dojo/internal/output"
	"dojo/run"

	"golang.org/x/term"
)

// replacing is the policy of a verb with --force: who sits at a terminal is
// asked, elsewhere nothing is replaced without it. Files of runs never are.
func (a *app) replacing(ctx context.Context, force bool) output.Policy {
	p := output.Policy{Refuse: run.Refuse, Force: force}
	if in, ok := a.stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		p.Ask = func(question string) (bool, error) { return console.Confirm(ctx, a.stdin, a.stderr, question) }
	}
	return p
}
