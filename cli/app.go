// Package cli is the command line: flags in, one call, words out. Each verb is a file; app tells
// what they have in common.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"dojo.example/arena"
	"dojo.example/cli/bench"
	"dojo.example/configs"
	"dojo.example/export/binary"
	"dojo.example/internal/bounded"
	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/internal/process"
	"dojo.example/internal/version"
	"dojo.example/model"

	"github.com/spf13/cobra"
)

// The exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2 // the command line makes no sense
)

// app is what every verb is given: the streams and the carried model. What a
// verb prints for its user or a script goes to stdout; logs, progress and
// errors go to stderr.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	args           []string          // the command line, without the program's name
	carried        *model.Checkpoint // at the end of this executable, or nil
	json           bool              // the verb's --json
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

// command is a line that people can type.
var command = console.Command

// usage makes an error one of the command line; nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// misspelt reports whether an error is about a word that the command line should not
// have: exit status 2 and not 1.
func misspelt(err error) bool {
	return errors.As(err, new(usageError)) || errors.As(err, new(arena.NameError)) || errors.As(err, new(configs.NameError)) || errors.As(err, new(bench.NameError))
}

// execute is the whole program: it executes the command line and returns the exit
// status. Errors take one line on stderr.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &console.FirstError{W: stdout}
	if _, ok := stderr.(*os.File); !ok { // a file may be written by several goroutines
		stderr = &console.Shared{W: stderr}
	}
	a := &app{stdin: stdin, stdout: out, stderr: stderr, args: args}
	var err error
	if a.carried, err = binary.Carried(); err != nil {
		return a.fail(nil, err)
	}
	root := a.root()
	root.SetArgs(append([]string{}, args...))
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	builtIn(root, args)
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case out.Err != nil && (err == nil || errors.Is(err, out.Err)):
		err = fmt.Errorf("write the output: %w", out.Err)
	case err == nil:
		return exitDone
	case cmd == root && !misspelt(err):
		err = cmp.Or(mistyped(root, args), err)
	}
	return a.fail(cmd, err)
}

// fail reports err and returns the exit status for it.
func (a *app) fail(cmd *cobra.Command, err error) int {
	text := console.OneLine(err.Error())
	status := exitFailed
	switch {
	case misspelt(err):
		status = exitUsage
		text += fmt.Sprintf(" (see %s)", command(append(strings.Fields(cmd.CommandPath())[1:], "--help")...))
	case errors.Is(err, context.Canceled):
		text = console.Interrupted(text)
	}
	fmt.Fprintln(a.stderr, "dojo:", text)
	return status
}

// root is the command that holds the verbs. A program that carries a model is
// a bot unless it is told otherwise.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "dojo",
		Short: "Learn board games from nothing, and play them",
		Long: `dojo learns board games from nothing by playing against itself, on the
processor alone, and lets you play, measure and hand out what it has learned.`,
		Example: `  dojo train                             learn Onitama; stop and continue at will
  dojo play onitama runs/onitama-quick   play against the best model of a run
  dojo evaluate runs/onitama-quick       measure it against fixed opponents`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	if a.carried != nil {
		root = a.botCommand()
		root.Use = "dojo [MODEL]"
		root.Short = "A bot that carries its model, and all of dojo besides"
	}
	root.Version = version.String()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(flags.Error(err)) })
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprint(".FlagUsagesWrapped ", bounded.LineWidth)))
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		flags.AllowMemory(cmd.Flags())
		return usage(flags.Check(cmd))
	}
	a.addVerbs(root)
	return root
}

// addVerbs adds the verbs, in the groups that help shows them in.
func (a *app) addVerbs(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	for _, group := range []struct {
		title string
		verbs []*cobra.Command
	}{
		{"Learn:", append(trainCommands(a), a.distilCommand(), a.workerCommand())},
		{"Look and play:", []*cobra.Command{a.serveCommand(), a.reportCommand(), a.playCommand(), a.analyseCommand(), a.reviewCommand(), a.puzzlesCommand(), a.inspectCommand(), a.rulesCommand()}},
		{"Measure:", []*cobra.Command{a.evaluateCommand(), a.matchCommand(), a.solveCommand(), a.verifyCommand()}},
		{"Hand out:", []*cobra.Command{a.exportCommand(), a.botCommand()}},
		{"Laboratory:", []*cobra.Command{a.presetCommand(), a.tuneCommand(), a.sweepCommand(), a.benchCommand(), a.versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, verb := range group.verbs {
			if a.carried != nil && verb.Name() == "bot" {
				continue // it is the root
			}
			verb.GroupID = group.title
			root.AddCommand(verb)
		}
	}
}

// print writes a report, for people or as JSON, and returns err. All that verbs find out is
// written here.
func (a *app) print(r console.Report, err error) error {
	return cmp.Or(r.Write(a.stdout, a.json), err)
}

// show prints a report, as it comes.
func (a *app) show(r console.Report) error { return a.print(r, nil) }

// found prints a text, or for programs the value that it tells of.
func (a *app) found(text string, value any) error {
	return a.show(console.Report{Text: text, Lines: []any{value}})
}

// jsonFlag adds --json to a verb.
func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON, one object a line, and nothing else")
}

// Main runs the command line that the process was started with, and ends the process.
// If a signal has ended it, the process ends by that signal, so that a shell's loop or a service
// manager sees what it was.
func Main() {
	ctx, cancel := context.WithCancel(context.Background())
	var by atomic.Value // the signal that has ended the program
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, ends()...)
	go func() { // until the end of the program
		by.Store(<-signals)
		signal.Stop(signals) // a second interrupt ends the program immediately
		cancel()
	}()
	status := execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if s, ok := by.Load().(syscall.Signal); ok {
		process.EndBy(s)
	}
	os.Exit(status)
}

// ends are the signals that end the program well: an interrupt, a request to end, and the end of
// the terminal, unless that is ignored, as under nohup.
func ends() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
