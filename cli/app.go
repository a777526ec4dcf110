// Package cli implements the command line of dojo. Each verb (subcommand) has its own file. Type
// app holds what all verbs share.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
	"dojo.example/internal/logs"
	"dojo.example/internal/process"
	"dojo.example/internal/version"
	"dojo.example/model"

	"github.com/spf13/cobra"
)

// The exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2 // the command line was wrong
)

// app holds what every verb needs: the streams and the carried model. Verbs write their results to
// stdout, and logs, progress and errors to stderr.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	args           []string          // the command line, without the program's name
	carried        *model.Checkpoint // the model appended to this executable, or nil
	json           bool              // value of the verb's flag --json
	format         logs.Format       // what the verb writes to stderr; "" if it has no flag --log-format
	level          slog.Level        // value of the verb's flag --log-level
}

// usageError marks an error as a mistake in the command line. The program then exits with
// exitUsage.
type usageError struct{ error }

// command formats a command line with the given arguments that a user can type into a shell.
var command = console.Command

// usage turns err into a usageError; nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// misspelt reports whether an error is due to a wrong word on the command line. If so, the exit
// status is exitUsage instead of exitFailed.
func misspelt(err error) bool {
	return errors.As(err, new(usageError)) || errors.As(err, new(arena.NameError)) || errors.As(err, new(configs.NameError)) || errors.As(err, new(bench.NameError))
}

// execute runs the command line and returns the exit status. It prints an error as one line on
// stderr.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &console.FirstError{W: stdout}
	if _, ok := stderr.(*os.File); !ok { // goroutines share stderr, so a writer that is not a file needs a lock
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
		err = fmt.Errorf("cannot write the output: %w", out.Err)
	case err == nil:
		return exitDone
	case cmd == root && !misspelt(err):
		err = cmp.Or(mistyped(root, args), err)
	}
	return a.fail(cmd, err)
}

// fail prints err on stderr and returns the exit status. If stderr is a log in JSON, fail writes a
// record, so that every line is JSON.
func (a *app) fail(cmd *cobra.Command, err error) int {
	text := console.OneLine(err.Error())
	status, level, what := exitFailed, slog.LevelError, "command failed"
	switch {
	case misspelt(err):
		status = exitUsage
		text += fmt.Sprintf(" (see %s)", command(append(strings.Fields(cmd.CommandPath())[1:], "--help")...))
	case errors.Is(err, context.Canceled):
		text, level, what = console.Interrupted(text), slog.LevelInfo, "command interrupted"
	}
	if a.format == logs.JSON {
		a.logger("").Log(context.Background(), level, what, "error", text)
	} else {
		fmt.Fprintln(a.stderr, "dojo:", text)
	}
	return status
}

// root returns the top-level command, which has all verbs as subcommands. In a program that carries
// a model, the root itself is the verb bot.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "dojo",
		Short: "Learn board games from nothing, and play them",
		Long: `dojo learns board games from nothing by playing against itself. It needs no GPU.
You can play against the trained models, measure how strong they are, and export
them as bots.`,
		Example: `  dojo train                             learn Onitama; stop and continue at will
  dojo play onitama runs/onitama-quick   play against the best model of a run
  dojo evaluate runs/onitama-quick       measure it against fixed opponents`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	if a.carried != nil {
		root = a.botCommand()
		root.Use = "dojo [MODEL]"
		root.Short = "Run the bot that this program carries, or any verb of dojo"
	}
	root.Version = version.String()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(flags.Error(err)) })
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprint(".FlagUsagesWrapped ", bounded.LineWidth)))
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		flags.AllowMemory(cmd.Flags())
		a.chooseFormat(cmd)
		return usage(flags.Check(cmd))
	}
	a.addVerbs(root)
	return root
}

// addVerbs adds the verbs to root, grouped as in the help.
func (a *app) addVerbs(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	for _, group := range []struct {
		title string
		verbs []*cobra.Command
	}{
		{"Learn:", append(trainCommands(a), a.distilCommand(), a.workerCommand())},
		{"Look and play:", []*cobra.Command{a.serveCommand(), a.reportCommand(), a.playCommand(), a.analyseCommand(), a.reviewCommand(), a.puzzlesCommand(), a.inspectCommand(), a.rulesCommand()}},
		{"Measure:", []*cobra.Command{a.evaluateCommand(), a.matchCommand(), a.solveCommand(), a.verifyCommand()}},
		{"Export:", []*cobra.Command{a.exportCommand(), a.botCommand()}},
		{"Tune and benchmark:", []*cobra.Command{a.presetCommand(), a.tuneCommand(), a.sweepCommand(), a.benchCommand(), a.versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, verb := range group.verbs {
			if a.carried != nil && verb.Name() == "bot" {
				continue // skip it, because the root itself is the verb bot
			}
			verb.GroupID = group.title
			root.AddCommand(verb)
		}
	}
}

// print writes a report to stdout, as text or as JSON. It returns the error of the write, if any,
// and otherwise err. All verbs print their results through it.
func (a *app) print(r console.Report, err error) error {
	return cmp.Or(r.Write(a.stdout, a.json), err)
}

// show prints a report.
func (a *app) show(r console.Report) error { return a.print(r, nil) }

// found prints text, or value as JSON if --json is given. Both must have the same content.
func (a *app) found(text string, value any) error {
	return a.show(console.Report{Text: text, Lines: []any{value}})
}

// jsonFlag adds --json to a verb.
func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print only JSON, one object per line")
}

// Main runs the command line of the process and exits. If a signal interrupted the command, Main
// kills the process with the same signal, so that a shell loop or a service manager can see the
// cause.
func Main() {
	ctx, cancel := context.WithCancel(context.Background())
	var by atomic.Value // the signal that interrupted the program, if any
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, ends()...)
	go func() { // this goroutine runs until the program exits
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

// ends returns the signals that stop the program cleanly: SIGINT, SIGTERM and SIGHUP. It leaves out
// SIGHUP if the process ignores it, as under nohup.
func ends() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
