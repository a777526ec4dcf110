package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dojo/arena"
	"dojo/games"
	"dojo/internal/bounded"
	"dojo/internal/flags"
	"dojo/internal/output"
	"dojo/internal/version"
	"dojo/model"
	"dojo/models"
	"dojo/run"
	"dojo/think"

	"github.com/spf13/cobra"
)

// exportOptions is what the command line tells of an export.
type exportOptions struct {
	out      string
	force    bool
	replace  output.Policy
	model    string // as it was named; "" if it is carried or in the box
	game     string // where no MODEL says which
	samples  string // a run
	distil   bool
	noVerify bool
	moveTime time.Duration
	games    int
	os, arch string
	program  string
	float32  bool
	json     bool
}

// A form is a way to hand out a model.
type form struct {
	name, about string
	flags       []string // that it takes, besides those of every form
	write       func(a *app, ctx context.Context, c *model.Checkpoint, game games.Entry, opt exportOptions) error
}

var codinGameFlags = []string{"distil", "samples", "movetime", "no-verify", "games"}

var forms = []form{
	{"binary", "one executable, which is dojo and carries the model: run alone\nit is \"dojo bot\", and its play, evaluate and analyse need no\nMODEL; --os and --arch name another system", []string{"os", "arch", "program"}, (*app).exportBinary},
	{"codingame-cpp", "one source file that plays Onitama on CodinGame, in C++", codinGameFlags, (*app).exportCPP},
	{"codingame-go", "the same in Go", codinGameFlags, (*app).exportGo},
	{"onnx", "an ONNX model for other runtimes, in 8 bits or, with --float32,\nin floats, as a sparse network always is", []string{"float32"}, (*app).exportONNX},
	{"web", "a folder for any web server, in which the browser plays the bot", nil, (*app).exportWeb},
}

// formOf is the form called name.
func formOf(name string) (form, error) {
	for _, f := range forms {
		if f.name == name {
			return f, nil
		}
	}
	return form{}, usagef("--as %q is not a form of export; there are %s", name, strings.Join(formNames(), ", "))
}

func formNames() (names []string) {
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

// check reports flags that make no sense together.
func (f form) check(cmd *cobra.Command, opt exportOptions) error {
	for _, other := range forms {
		for _, flag := range other.flags {
			if cmd.Flags().Changed(flag) && !slices.Contains(f.flags, flag) {
				return usagef("--%s belongs to --as %s, not to %s", flag, other.name, f.name)
			}
		}
	}
	switch {
	case opt.out == "":
		return usagef("-o FILE is missing")
	case opt.games%2 != 0:
		return usagef("--games %d is odd: every opening is played twice", opt.games)
	case cmd.Flags().Changed("samples") && !opt.distil:
		return usagef("--samples is for --distil, which is missing")
	case cmd.Flags().Changed("games") && opt.noVerify:
		return usagef("--games needs the compiled program, which --no-verify leaves out")
	}
	return inRange("--games", opt.games, 0, mostGames)
}

func (a *app) exportCommand() *cobra.Command {
	var opt exportOptions
	var as string
	cmd := &cobra.Command{
		Use:   "export [MODEL]",
		Short: "Hand out a trained bot",
		Long:  exportHelp(),
		Example: `  dojo export runs/onitama-quick --as binary -o onitama-bot
  dojo export --game onitama --as codingame-cpp -o bot.cpp
  ./onitama-bot --protocol codingame --movetime 42ms
  dojo export runs/onitama-quick --as codingame-cpp --distil -o bot.cpp
  dojo export runs/patchwork-quick --as web -o patchwork && python3 -m http.server -d patchwork`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := formOf(as)
			if err != nil {
				return err
			}
			if err := f.check(cmd, opt); err != nil {
				return err
			}
			c, game, err := a.modelFor(args, opt.game)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				opt.model = args[0]
			}
			opt.replace = a.replacing(cmd.Context(), opt.force)
			if err := f.write(a, cmd.Context(), c, game, opt); err != nil {
				return fmt.Errorf("export: %w", err)
			}
			return nil
		},
	}
	exportFlags(cmd, &as, &opt)
	return cmd
}

// exportHelp tells the forms, and which flags belong to which.
func exportHelp() string {
	var about, belong strings.Builder
	for _, f := range forms {
		fmt.Fprintf(&about, "  %-14s %s\n", f.name, strings.ReplaceAll(f.about, "\n", "\n                 "))
		if len(f.flags) > 0 {
			fmt.Fprintf(&belong, "  %-14s --%s\n", f.name, strings.Join(f.flags, " --"))
		}
	}
	return `Writes a model in a form that works without this program's files:

` + about.String() + `
CodinGame takes 100,000 characters and 50 ms a turn. A sparse network is written
as it is; of a residual one --distil first trains a sparse student, as "dojo
distil" does, from the samples of MODEL's run, in some minutes, and keeps it
there. Nothing is written unless the compiler takes the program, the referee's
transcripts replay with legal answers, outputs are those of the network in 8
bits, and answers come in time; then its Elo against MODEL at --movetime is
measured.

Flags that belong to one form:

` + strings.TrimSuffix(belong.String(), "\n")
}

func exportFlags(cmd *cobra.Command, as *string, opt *exportOptions) {
	f := cmd.Flags()
	gameFlag(cmd, &opt.game)
	f.StringVar(as, "as", "binary", "the form: "+strings.Join(formNames(), ", "))
	f.StringVarP(&opt.out, "output", "o", "", "the file, or for web the folder, to write")
	f.BoolVar(&opt.force, "force", false, "replace what is at --output without asking")
	f.BoolVar(&opt.float32, "float32", false, "for onnx: in floats, not in 8 bits")
	f.StringVar(&opt.os, "os", "", "for binary: the operating system, as Go names it (this one)")
	f.StringVar(&opt.arch, "arch", "", "for binary: the processor, as Go names it (this one)")
	f.StringVar(&opt.program, "program", "", "for binary: a dojo built for that system, instead of building it from the sources")
	f.BoolVar(&opt.distil, "distil", false, "for codingame: train a sparse network that answers as MODEL does")
	f.StringVar(&opt.samples, "samples", "", "for --distil: the run with the samples (MODEL's)")
	flags.Time(f, &opt.moveTime, "movetime", 42*time.Millisecond, "for codingame: time for an action")
	f.BoolVar(&opt.noVerify, "no-verify", false, "for codingame: write the file without compiling and running it")
	f.IntVar(&opt.games, "games", 40, "for codingame: games against MODEL, an even number")
	jsonFlag(cmd, &opt.json)
}

// exported says what was written.
func (a *app) exported(c *model.Checkpoint, opt exportOptions, text string) error {
	if opt.json {
		return a.output(true).PrintJSON(struct {
			File  string `json:"file"`
			Game  string `json:"game"`
			Model string `json:"model"`
			Hash  string `json:"hash"`
		}{opt.out, c.Game, c.Name, c.Hash()})
	}
	_, err := fmt.Fprintln(a.stderr, opt.out, bounded.Visible(text))
	return err
}

// origin says in lines where an export comes from.
func origin(c *model.Checkpoint, more ...string) []string {
	search := think.Constants(c.Meta)
	return append([]string{
		fmt.Sprintf("model %s of %s, hash %s, %s, %d steps, seed %d, trained by dojo %s",
			c.Name, c.Game, c.Hash(), c.Sizes(), c.Step, c.Seed, c.ProgramVersion),
		fmt.Sprintf("exported by dojo %s; searches with cpuct %g, base %g, first-play reduction %g", version.String(), search.CPuct, search.CPuctBase, search.FPUReduction),
	}, more...)
}

// runOf is the run that a model lies in, or "".
func runOf(path string) run.Folder {
	if path == "" {
		return ""
	}
	if file, err := models.Path(path); err == nil && file != path {
		return run.Folder(path)
	}
	return run.Of(strings.TrimSuffix(path, arena.InFloats))
}
