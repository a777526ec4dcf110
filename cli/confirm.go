package cli

import (
	"context"
	"os"

	"dojo.example/data/rundir"
	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/internal/output"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// outputFlags say where a verb writes.
type outputFlags struct {
	out   string
	force bool
}

// register adds the flags to a verb, which must be told where if required is true.
func (o *outputFlags) register(cmd *cobra.Command, what string, required bool) {
	cmd.Flags().StringVarP(&o.out, "output", "o", "", what)
	cmd.Flags().BoolVar(&o.force, "force", false, "replace what is at --output without asking")
	if required {
		flags.Require(cmd, "output")
	}
}

// open checks that the file may be written; nil if none is named.
func (o *outputFlags) open(ctx context.Context, a *app) (*output.File, error) {
	if o.out == "" {
		return nil, nil
	}
	return output.Open(o.out, a.replacing(ctx, o.force))
}

// replacing is the policy of a verb with --force: who sits at a terminal is
// asked, elsewhere nothing is replaced without it. Files of runs never are.
func (a *app) replacing(ctx context.Context, force bool) output.Policy {
	p := output.Policy{Refuse: rundir.Refuse, Force: force}
	if in, ok := a.stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		p.Ask = func(question string) (bool, error) { return console.Confirm(ctx, a.stdin, a.stderr, question) }
	}
	return p
}
