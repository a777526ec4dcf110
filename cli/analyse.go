package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"dojo.example/games/box"
	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/internal/regular"
	"dojo.example/play"
	"dojo.example/play/analysis"
	"dojo.example/play/terminal"
	"dojo.example/search/think"

	"github.com/spf13/cobra"
)

// analyseOptions holds the flags of analyse and review.
type analyseOptions struct {
	game        string
	simulations int
	moveTime    time.Duration // time limit per search; 0 for none
	workers     int
	seed        uint64
	top         int
}

// flags adds the flags that analyse and review share.
func (o *analyseOptions) flags(a *app, cmd *cobra.Command) {
	gameFlag(cmd, &o.game)
	flags.Int(cmd.Flags(), &o.simulations, "simulations", 800, 1, mostSimulations, "root visits per search")
	flags.Time(cmd.Flags(), &o.moveTime, "movetime", 0, "search each position for this time instead, e.g. 2s")
	flags.Workers(cmd.Flags(), &o.workers, "cores to use (default: all); does not change results, except with --movetime")
	flags.Memory(cmd.Flags(), memory.Some)
	flags.Exclude(cmd, "simulations", "movetime")
	a.jsonFlag(cmd)
}

// budget checks the flags and returns the limits of each search.
func (o *analyseOptions) budget() (b think.Budget, err error) {
	if o.moveTime > analysis.MaxTime {
		return b, usagef("--movetime %v is too long; the most is %v", o.moveTime, analysis.MaxTime)
	}
	if o.moveTime > 0 {
		return think.Budget{Time: o.moveTime}, nil
	}
	return think.Budget{Visits: o.simulations}, nil
}

func (a *app) analyseCommand() *cobra.Command {
	var opt analyseOptions
	cmd := arguments{
		{name: "MODEL", need: skippable, offer: aModel},
		{name: "POSITION", need: optional},
		{name: "ACTION", need: optional, many: true},
	}.of(&cobra.Command{
		Use:   "analyse",
		Short: "Analyse a position, or serve analyses to programs",
		Long: `Analyse a position: print its value, the best actions with their visits, and
the best play after each. POSITION is one of

  a line in the game's notation
  start   a start position of self-play, dealt with --seed
  usual   the usual start position; the default

The ACTIONs are played before the search. All values are for the first player,
from -1 to 1. An exclamation mark after a value says that it is proven.

With --json and without POSITION, the command is an engine for programs. It
reads queries from stdin, one JSON object per line, and searches many of them at
a time. Each answer has the id of its query and is printed as soon as it is
known. docs/ANALYSIS.md describes the queries and answers, and has clients.`,
		Example: `  dojo analyse runs/onitama-quick
  dojo analyse runs/tictactoe "x...o...." b3 --movetime 2s
  dojo analyse runs/onitama-quick --json <queries.jsonl >answers.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := opt.budget()
			if err != nil {
				return err
			}
			if a.json && !cmd.Flags().Changed("top") {
				opt.top = 0
			}
			named, position := a.splitModel(args, opt.game)
			if len(position) == 0 && a.json {
				return a.answerQueries(cmd.Context(), named, b, opt)
			}
			if len(position) == 0 {
				position = []string{defaultPosition(cmd)}
			}
			if err := seedDeals(cmd, position[0]); err != nil {
				return err
			}
			return a.analyse(cmd.Context(), named, position, b, opt)
		},
	})
	opt.flags(a, cmd)
	flags.Seed(cmd.Flags(), &opt.seed, 1, "seed of the deal")
	flags.Int(cmd.Flags(), &opt.top, "top", 10, 0, 1<<16, "number of actions to show; 0 shows all, as does --json without --top")
	return cmd
}

// splitModel splits the arguments into an optional MODEL and the rest. The first argument is the
// MODEL, unless --game or a model carried by the program makes a MODEL unnecessary. Then the first
// argument is a MODEL only if it names an existing file or a built-in bot.
func (a *app) splitModel(args []string, game string) (named, rest []string) {
	if len(args) == 0 {
		return nil, nil
	}
	if _, boxed := box.Boxed(args[0]); !boxed && (game != "" || a.carried != nil) {
		if _, err := os.Stat(box.Base(args[0])); err != nil {
			return nil, args
		}
	}
	return args[:1], args[1:]
}

// answerQueries reads queries from stdin and writes the answers to stdout.
func (a *app) answerQueries(ctx context.Context, named []string, b think.Budget, opt analyseOptions) error {
	s := analysis.Service{Usual: b}
	if len(named) > 0 || a.carried != nil { // one model answers all queries
		_, game, err := a.modelFor(named, opt.game)
		if err != nil {
			return err
		}
		s.Game = game.Name
	}
	s.Open = func(name string) (*analysis.Analyser, error) {
		x, _, err := a.analyserFor(named, name, think.Budget{}, analysis.Options{Workers: opt.workers})
		if err != nil && s.Game != "" { // the model does not play the game of the query
			err = fmt.Errorf("game: %w", err)
		}
		return x, err
	}
	return s.Run(ctx, console.Interruptible(ctx, a.stdin), console.InterruptibleWriter(ctx, a.stdout))
}

// analyse searches one position and prints the result.
func (a *app) analyse(ctx context.Context, named, position []string, b think.Budget, opt analyseOptions) error {
	x, by, err := a.analyserFor(named, opt.game, b, analysis.Options{Workers: 1, Lanes: 1})
	if err != nil {
		return err
	}
	p, err := play.Reach(x.Game, position, opt.seed)
	if err != nil {
		return err
	}
	t, err := terminal.Search(ctx, x, p, b, a.stderr)
	if err != nil {
		return err
	}
	answer := analysis.Query{Top: opt.top}.Answer(x.Game.Name, p, t)
	if opt.top > 0 && len(t.Moves) > opt.top {
		t.Moves = t.Moves[:opt.top]
	}
	return a.found(terminal.AnalysisText(p, t, by), answer)
}

func (a *app) reviewCommand() *cobra.Command {
	var opt analyseOptions
	cmd := arguments{{name: "RECORD", offer: aFile}, {name: "MODEL", need: optional, offer: aModel}}.of(&cobra.Command{
		Use:   "review",
		Short: "Find the mistakes in a game",
		Long: `Find the mistakes in a game. RECORD is a game that "dojo play" saved. The
command searches each position, prints all actions and marks the bad ones:

  ?!  inaccuracy, a loss of 0.1 or more
  ?   mistake, a loss of 0.2 or more
  ??  blunder, a loss of 0.3 or more

The loss of an action is the value of the best action minus the value of the
position after it, for the player who moved. A loss of 2 is a win thrown away.
An exclamation mark after a loss says that the loss is proven. All other values
are for the first player, from -1 to 1.

Without MODEL, the built-in bot of the record's game searches.`,
		Example: `  dojo review game.txt runs/onitama-quick
  dojo review game.txt runs/onitama-quick --simulations 5000 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := opt.budget()
			if err != nil {
				return err
			}
			return a.review(cmd.Context(), args[0], args[1:], b, opt)
		},
	})
	opt.flags(a, cmd)
	return cmd
}

// review finds the mistakes in the game in the file at path.
func (a *app) review(ctx context.Context, path string, named []string, b think.Budget, opt analyseOptions) error {
	text, err := regular.ReadText(path, play.MaxBytes)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	name := cmp.Or(opt.game, play.GameOf(string(text)))
	if name == "" && len(named) == 0 {
		return usagef("record %s does not name its game: name a MODEL or the --game", path)
	}
	x, by, err := a.analyserFor(named, name, b, analysis.Options{Workers: opt.workers})
	if err != nil {
		return err
	}
	record, err := play.Read(x.Game, string(text))
	if err == nil && len(record.Actions) == 0 {
		err = errors.New("the game has no actions")
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", path, err)
	}
	return terminal.Review(ctx, x, record, b, a.stderr, a.show, fmt.Sprintf("%s, %d actions, reviewed by model %s", x.Game.Name, len(record.Actions), by))
}
