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

// outputFlags are the flags for a verb's output file.
type outputFlags struct {
	out   string
	force bool
}

// register adds the flags to a verb. The text what describes the output in the help. If required is
// set, the user must give --output.
func (o *outputFlags) register(cmd *cobra.Command, what string, required bool) {
	cmd.Flags().StringVarP(&o.out, "output", "o", "", what)
	cmd.Flags().BoolVar(&o.force, "force", false, "replace an existing --output without asking")
	if required {
		flags.Require(cmd, "output")
	}
}

// open opens the output file and checks that it may be written. If --output is not given, it
// returns nil.
func (o *outputFlags) open(ctx context.Context, a *app) (*output.File, error) {
	if o.out == "" {
		return nil, nil
	}
	return output.Open(o.out, a.replacing(ctx, o.force))
}

// replacing returns the policy for output files that already exist. With force, the verb replaces
// them. Without force, it asks the user, or fails if stdin is not a terminal. It never replaces
// files of runs.
func (a *app) replacing(ctx context.Context, force bool) output.Policy {
	p := output.Policy{Refuse: rundir.Refuse, Force: force}
	if in, ok := a.stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		p.Ask = func(question string) (bool, error) { return console.Confirm(ctx, a.stdin, a.stderr, question) }
	}
	return p
}
