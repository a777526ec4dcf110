package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"dojo.example/export/binary"
	"dojo.example/games"
	"dojo.example/internal/bounded"
	"dojo.example/internal/flags"
	"dojo.example/internal/version"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"

	"github.com/spf13/cobra"
)

// An exporter writes a model in the format selected on the command line.
type exporter struct {
	*app
	outputFlags
	binary.Target
	game     string // game of the built-in bot to export if no MODEL is named
	noVerify bool
	moveTime time.Duration
	games    int

	model      string // name of the model on the command line, or ""
	checkpoint *model.Checkpoint
	search     mcts.Config // configuration of the model's search
	entry      games.Entry // the model's game
}

// A form is a format in which a model can be exported.
type form struct {
	name, about string
	flags       []string // flags that only this form has
	write       func(*exporter, context.Context) error
}

var codinGameFlags = []string{"movetime", "no-verify", "games"}

var forms = []form{
	{"binary", "one executable: dojo with the model in it. Without a verb it is\n\"dojo bot\"; its play, evaluate and analyse need no MODEL. --os\nand --arch choose another system", []string{"os", "arch", "program"}, (*exporter).program},
	{"codingame-cpp", "one C++ source file that plays on CodinGame", codinGameFlags, (*exporter).cpp},
	{"codingame-go", "one Go source file that plays on CodinGame", codinGameFlags, (*exporter).golang},
	{"onnx", "the network as an ONNX model for other runtimes, in floats", nil, (*exporter).onnx},
	{"web", "a folder for any web server; the bot plays in the browser", nil, (*exporter).web},
}

// formOf returns the form called name.
func formOf(name string) (form, error) {
	if i := slices.Index(formNames(), name); i >= 0 {
		return forms[i], nil
	}
	return form{}, usagef("--as %q is not a form of export; choose one of %s", name, strings.Join(formNames(), ", "))
}

func formNames() (names []string) {
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

// check returns an error for flags that cannot be combined.
func (x *exporter) check(cmd *cobra.Command, f form) error {
	for _, other := range forms {
		for _, flag := range other.flags {
			if cmd.Flags().Changed(flag) && !slices.Contains(f.flags, flag) {
				return usagef("--%s is for --as %s, not for --as %s", flag, other.name, f.name)
			}
		}
	}
	if cmd.Flags().Changed("games") && x.noVerify {
		return usagef("--games needs the compiled program, so it does not go with --no-verify")
	}
	return nil
}

func (a *app) exportCommand() *cobra.Command {
	x := exporter{app: a}
	var as string
	cmd := arguments{{name: "MODEL", need: optional, offer: aModel}}.of(&cobra.Command{
		Use:   "export",
		Short: "Export a trained bot",
		Long:  exportHelp(),
		Example: `  dojo export runs/onitama-quick --as binary -o onitama-bot
  dojo export --game onitama --as codingame-cpp -o bot.cpp
  ./onitama-bot --protocol codingame --movetime 42ms
  dojo export runs/patchwork-quick --as web -o patchwork && python3 -m http.server -d patchwork`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := formOf(as)
			if err == nil {
				err = x.check(cmd, f)
			}
			if err != nil {
				return err
			}
			if x.checkpoint, x.entry, err = a.modelFor(args, x.game); err != nil {
				return err
			}
			if x.search, err = think.Constants(x.checkpoint.Meta); err != nil {
				return err
			}
			x.model = strings.Join(args, "") // args has at most one element
			if err := f.write(&x, cmd.Context()); err != nil {
				return fmt.Errorf("export: %w", err)
			}
			return nil
		},
	})
	x.flags(cmd, &as)
	return cmd
}

// exportHelp returns the long help of export, which lists the forms and their flags.
func exportHelp() string {
	var about, belong strings.Builder
	for _, f := range forms {
		fmt.Fprintf(&about, "  %-14s %s\n", f.name, strings.ReplaceAll(f.about, "\n", "\n                 "))
		if len(f.flags) > 0 {
			fmt.Fprintf(&belong, "  %-14s --%s\n", f.name, strings.Join(f.flags, " --"))
		}
	}
	return `Export a trained bot: write a model in a form that works without dojo's files.

` + about.String() + `
CodinGame accepts sources of up to 100,000 characters. In most games it gives 50
ms per turn; the game's protocol says how much. A sparse network is exported as
it is. For a residual network, first train a sparse one with "dojo distil".

A source for CodinGame is written only after these checks. It compiles. Its
rules are those of the game, and its outputs are bit for bit those of the
network in 8 bits. After the same number of simulations it plays the same moves
as MODEL. It answers in time. Finally it plays --games against MODEL, both with
--movetime; if its Elo difference is certainly below -250, nothing is written.

Flags of one form only:

` + strings.TrimSuffix(belong.String(), "\n")
}

func (x *exporter) flags(cmd *cobra.Command, as *string) {
	f := cmd.Flags()
	gameFlag(cmd, &x.game)
	f.StringVar(as, "as", "binary", "the form: "+strings.Join(formNames(), ", "))
	offer(cmd, "as", offering(cobra.ShellCompDirectiveNoFileComp, formNames))
	x.register(cmd, "the file to write, or the folder for web", true)
	f.StringVar(&x.OS, "os", "", "for binary: the operating system, by Go's name for it (default: this one)")
	f.StringVar(&x.Arch, "arch", "", "for binary: the processor, by Go's name for it (default: this one)")
	f.StringVar(&x.Program, "program", "", "for binary: a dojo program built for that system (default: build it from the sources)")
	flags.Time(f, &x.moveTime, "movetime", 0, "for codingame: time to think per action (default: 84 % of the referee's time, e.g. 42ms of 50ms)")
	f.BoolVar(&x.noVerify, "no-verify", false, "for codingame: write the file without compiling and running it")
	flags.Games(f, &x.games, 40, 0, "for codingame: number of games against MODEL; even")
	x.app.jsonFlag(cmd)
}

// step announces the next step of the export. Because a step may take minutes, it prints a line
// even if stderr is not a terminal (and so has no progress bar).
func (x *exporter) step(what string) { fmt.Fprintf(x.stderr, "%s: %s\n", x.out, what) }

// done prints what was written.
func (x *exporter) done(format string, args ...any) error {
	c := x.checkpoint
	if !x.json {
		fmt.Fprintln(x.stderr, x.out, bounded.Visible(fmt.Sprintf(format, args...)))
	}
	return x.found("", struct {
		File  string `json:"file"`
		Game  string `json:"game"`
		Model string `json:"model"`
		Hash  string `json:"hash"`
	}{x.out, c.Game, c.Name, c.Hash()})
}

// origin returns lines that describe where an exported model comes from and how it searches.
func origin(c *model.Checkpoint, search mcts.Config, more ...string) []string {
	return append([]string{
		fmt.Sprintf("model %s of %s, hash %s, %s, %d steps, seed %d, trained by dojo %s",
			c.Name, c.Game, c.Hash(), c.Sizes(), c.Step, c.Seed, c.ProgramVersion),
		fmt.Sprintf("exported by dojo %s; searches with cpuct %g, base %g, first-play reduction %g", version.String(), search.CPuct, search.CPuctBase, search.FPUReduction),
	}, more...)
}
