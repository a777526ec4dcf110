package cli

import (
	"fmt"
	"io"
	"log/slog"
	"math"

	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/internal/logs"
	"dojo.example/train"

	"github.com/spf13/cobra"
)

// auto is the value of --log-format with which the verb prints lines for people on a terminal, and
// a log elsewhere.
const auto = "auto"

// logFlags adds --log-format and --log-level to a verb that runs for a long time. usual is the
// default format. The flags set a.format and a.level.
func (a *app) logFlags(cmd *cobra.Command, usual string) {
	formats := []string{auto, string(logs.Screen), string(logs.Text), string(logs.JSON)}
	flags.Choice(cmd.Flags(), func(word string) { a.format = logs.Format(word) }, "log-format", usual, formats,
		"what to write to stderr: screen (lines for people), text or json (a log, one record per line), or auto (screen on a terminal, text elsewhere)")
	levels := []string{"debug", "info", "warn", "error"}
	flags.Choice(cmd.Flags(), func(word string) {
		_ = a.level.UnmarshalText([]byte(word)) // cannot fail, because slog knows all these levels
	}, "log-level", "info", levels, "leave out records below this level: debug, info, warn or error")
	for flag, words := range map[string][]string{"log-format": formats, "log-level": levels} {
		offer(cmd, flag, offering(cobra.ShellCompDirectiveNoFileComp, func() []string { return words }))
	}
}

// chooseFormat sets a.format to the format of cmd's log, if cmd has the flag --log-format.
func (a *app) chooseFormat(cmd *cobra.Command) {
	if flag := cmd.Flags().Lookup("log-format"); flag != nil && !flag.Changed {
		a.format = logs.Format(flag.DefValue)
	}
	if a.format != auto {
		return
	}
	a.format = logs.Text
	if console.IsTerminal(a.stderr) {
		a.format = logs.Screen
	}
}

// logsRecords reports whether stderr is a log, and does not show lines for people.
func (a *app) logsRecords() bool { return a.format == logs.Text || a.format == logs.JSON }

// logger returns a logger that writes to stderr and, unless file is "", also to that file.
func (a *app) logger(file string) *slog.Logger {
	return logs.New(a.stderr, file, logs.Options{Format: a.format, Level: a.level})
}

// say tells the user something. It prints words or, if stderr is a log, writes a record. The
// message must be constant; attrs are the attributes of the record, see [slog.Logger.Info].
func (a *app) say(words, message string, attrs ...any) {
	if a.logsRecords() {
		a.logger("").Info(message, attrs...)
	} else {
		fmt.Fprintln(a.stderr, words)
	}
}

// A progress reports the progress of a run. If stderr is a log, it writes a record for each
// generation. Otherwise it is a [train.Display].
type progress struct {
	*train.Display              // if stderr is a log, it prints nothing but still knows the current stage
	log            *slog.Logger // nil if stderr is no log
	last           int          // number of generations that the complete run has
}

var _ train.Reporter = progress{}

// progress returns a reporter for a run that has the given number of generations when it is
// complete.
func (a *app) progress(generations int) progress {
	if a.logsRecords() {
		return progress{train.NewDisplay(io.Discard, generations), a.logger(""), generations}
	}
	return progress{Display: train.NewDisplay(a.stderr, generations)}
}

// Begin reports that the run is open. done is the number of generations that are already committed.
func (p progress) Begin(opt *train.Options, done int) {
	p.Display.Begin(opt, done)
	if p.log != nil {
		p.log.Info("run opened", "game", opt.Game.Name, "folder", opt.Folder, "done", done, "of", p.last,
			"network", opt.Network.Sizes(), "simulations", opt.Search.Simulations, "cores", opt.Workers)
	}
}

// Stage reports that a stage begins; see [train.Reporter].
func (p progress) Stage(generation int, stage string, total int) func(int, string) {
	if p.log != nil {
		p.log.Debug("stage begins", "generation", generation, "stage", stage, "units", total)
	}
	return p.Display.Stage(generation, stage, total)
}

// Generation reports that a generation has been committed; see [train.Reporter].
func (p progress) Generation(m train.Metrics) {
	p.Display.Generation(m)
	if p.log == nil {
		return
	}
	done := m.Generation + 1
	attrs := []any{"generation", m.Generation, "done", done, "of", p.last}
	if m.GamesPerSecond > 0 { // otherwise this process played no games of the generation
		attrs = append(attrs, "games_per_second", rounded(m.GamesPerSecond))
	}
	attrs = append(attrs, "length", rounded(m.GameLength), "first_wins", rounded(m.FirstWins),
		"policy_loss", rounded(m.Fit.PolicyLoss), "value_loss", rounded(m.Fit.ValueLoss), "value_error", rounded(m.Fit.ValueError),
		slog.Group("gate", "won", m.Gate.Wins, "lost", m.Gate.Losses, "drawn", m.Gate.Draws), "promoted", m.Gate.Promoted)
	if left, ok := p.Left(done); ok {
		attrs = append(attrs, "left_seconds", math.Round(left.Seconds()))
	}
	p.log.Info("generation committed", attrs...)
}

// Warn reports a problem that does not stop the run.
func (p progress) Warn(err error) {
	if p.log != nil {
		p.log.Warn("a problem that does not stop the run", "error", err)
	} else {
		p.Display.Warn(err)
	}
}

// rounded rounds a figure of a log record to three decimals.
func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }
