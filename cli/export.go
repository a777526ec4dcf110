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

// An exporter writes a model as the command line says.
type exporter struct {
	*app
	outputFlags
	binary.Target
	game     string // where no MODEL says which
	noVerify bool
	moveTime time.Duration
	games    int

	model      string // as it was named; "" if it is carried or in the box
	checkpoint *model.Checkpoint
	search     mcts.Config // with which it plays
	entry      games.Entry // its game
}

// A form is a way to hand out a model.
type form struct {
	name, about string
	flags       []string // that it takes, besides those of every form
	write       func(*exporter, context.Context) error
}

var codinGameFlags = []string{"movetime", "no-verify", "games"}

var forms = []form{
	{"binary", "one executable, which is dojo and carries the model: run alone\nit is \"dojo bot\", and its play, evaluate and analyse need no\nMODEL; --os and --arch name another system", []string{"os", "arch", "program"}, (*exporter).program},
	{"codingame-cpp", "one source file that plays on CodinGame, in C++", codinGameFlags, (*exporter).cpp},
	{"codingame-go", "the same in Go", codinGameFlags, (*exporter).golang},
	{"onnx", "an ONNX model for other runtimes, in floats", nil, (*exporter).onnx},
	{"web", "a folder for any web server, in which the browser plays the bot", nil, (*exporter).web},
}

// formOf is the form called name.
func formOf(name string) (form, error) {
	if i := slices.Index(formNames(), name); i >= 0 {
		return forms[i], nil
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
func (x *exporter) check(cmd *cobra.Command, f form) error {
	for _, other := range forms {
		for _, flag := range other.flags {
			if cmd.Flags().Changed(flag) && !slices.Contains(f.flags, flag) {
				return usagef("--%s belongs to --as %s, not to %s", flag, other.name, f.name)
			}
		}
	}
	if cmd.Flags().Changed("games") && x.noVerify {
		return usagef("--games needs the compiled program, which --no-verify leaves out")
	}
	return nil
}

func (a *app) exportCommand() *cobra.Command {
	x := exporter{app: a}
	var as string
	cmd := arguments{{name: "MODEL", need: optional, offer: aModel}}.of(&cobra.Command{
		Use:   "export",
		Short: "Hand out a trained bot",
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
			x.model = strings.Join(args, "") // there is one at most
			if err := f.write(&x, cmd.Context()); err != nil {
				return fmt.Errorf("export: %w", err)
			}
			return nil
		},
	})
	x.flags(cmd, &as)
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
CodinGame takes 100,000 characters and gives most games 50 ms a turn; the game's
protocol says how much. A sparse network is written as it is; "dojo distil"
trains one to answer as a residual one does. Nothing is written unless the
compiler takes the program, its rules are the game's, its outputs those of the
network in 8 bits, its moves those of MODEL after as many simulations, and its
answers come in time. Then --games against MODEL at --movetime measure its Elo:
if that is certainly below -250, nothing is written either.

Flags that belong to one form:

` + strings.TrimSuffix(belong.String(), "\n")
}

func (x *exporter) flags(cmd *cobra.Command, as *string) {
	f := cmd.Flags()
	gameFlag(cmd, &x.game)
	f.StringVar(as, "as", "binary", "the form: "+strings.Join(formNames(), ", "))
	offer(cmd, "as", offering(cobra.ShellCompDirectiveNoFileComp, formNames))
	x.register(cmd, "the file, or for web the folder, to write", true)
	f.StringVar(&x.OS, "os", "", "for binary: the operating system, as Go names it (this one)")
	f.StringVar(&x.Arch, "arch", "", "for binary: the processor, as Go names it (this one)")
	f.StringVar(&x.Program, "program", "", "for binary: a dojo built for that system, instead of building it from the sources")
	flags.Time(f, &x.moveTime, "movetime", 0, "for codingame: time for an action (84 % of the referee's time for a turn: 42ms of 50ms)")
	f.BoolVar(&x.noVerify, "no-verify", false, "for codingame: write the file without compiling and running it")
	flags.Games(f, &x.games, 40, 0, "for codingame: games against MODEL, an even number")
	x.app.jsonFlag(cmd)
}

// step says what is done next, also where stderr is no terminal and no bar is drawn: it may take
// minutes.
func (x *exporter) step(what string) { fmt.Fprintf(x.stderr, "%s: %s\n", x.out, what) }

// done says what was written.
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

// origin says in lines where an export comes from, and how it searches.
func origin(c *model.Checkpoint, search mcts.Config, more ...string) []string {
	return append([]string{
		fmt.Sprintf("model %s of %s, hash %s, %s, %d steps, seed %d, trained by dojo %s",
			c.Name, c.Game, c.Hash(), c.Sizes(), c.Step, c.Seed, c.ProgramVersion),
		fmt.Sprintf("exported by dojo %s; searches with cpuct %g, base %g, first-play reduction %g", version.String(), search.CPuct, search.CPuctBase, search.FPUReduction),
	}, more...)
}
