package cli

import (
	"bytes"
	"context"
	"strings"

	"dojo.example/cli/measure"
	"dojo.example/engine/connectfour"
	"dojo.example/engine/onitama"
	"dojo.example/games"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"

	"github.com/spf13/cobra"
)

// solveOptions holds the flags of solve.
type solveOptions struct {
	measure.Solving
	outputFlags

	cards []int // the five cards of Onitama
	table int   // men per side in the table that a search for positions with more men uses

	four measure.ConnectFour
	keep string // file to which the actions that keep the results are appended
}

const tableMen = 3 // number of men per side in the largest table of endings

func (a *app) solveCommand() *cobra.Command {
	var opt solveOptions
	cmd := arguments{{name: "GAME", offer: aGame}, {name: "POSITION", need: optional, many: true}}.of(&cobra.Command{
		Use:   "solve",
		Short: "Find the exact values of positions",
		Long: `Find the exact values of positions. With --sample N --json, the command prints N
solved positions in which the choice of the action matters, for "dojo evaluate
--solved". For each action it prints whether it wins (W), draws (D) or loses
(L), and in how many plies. The sample depends on --seed.

In Connect Four, all positions can be solved. A POSITION is a text as "dojo
rules show" prints it, or the columns that were played from the empty board,
such as 4453 or ddec. --positions FILE solves the first word of each line of a
file. With --results, the command finds only who wins, which is much faster.

--keep FILE appends a line for each position of --positions: the position, its
result for the player to move (1, 0 or -1), the columns that keep this result,
and the number of columns that are not full. After an interrupt, the same
command continues after the last line. A number after a position in --positions
is its known result: positive if the player to move wins, negative if the player
loses, and 0 for a draw.

In Connect Four, --workers positions are solved at the same time. The results
have the order of the positions, so a result waits until all results before it
are known. The workers share the memory equally, at least 64MiB each; if
--memory is less, fewer of them work. For very hard positions, use fewer workers
or more memory.

Onitama is solved by retrograde analysis, for five cards and up to three men per
side. This makes a table of about a thousand million positions in 1.5 GB of
memory. The sample comes from random games with those cards. In each position,
one player has --men men and the other one has at most as many. With --men 4,
positions are searched with the help of the table.

In other games, and with --sample in Connect Four, late positions of random
games are searched to the end. They are within the last --plies actions. A
position is left out if --nodes are not enough to prove the values of all its
actions.`,
		Example: `  dojo solve onitama --cards 8,6,0,12,9 --men 2
  dojo solve onitama --cards 8,6,0,12,9 --sample 1000 --json -o solved.jsonl
  dojo solve connectfour 44444
  dojo solve connectfour --positions L2_R2.txt --results --json -o solved.jsonl
  dojo solve connectfour --positions L2_R2.txt --keep L2_R2.keep
  dojo solve oanquan --plies 10 --sample 200 --seed 7 --json -o endings.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := gameNamed(args[0])
			if err != nil {
				return err
			}
			opt.Remarks, opt.Each = a.stderr, a.show
			opt.four.Positions = args[1:]
			if err := opt.check(cmd, game.Name, a.json); err != nil {
				return err
			}
			target, err := opt.open(cmd.Context(), a)
			if err != nil {
				return err
			}
			var text bytes.Buffer
			if target != nil {
				a.stdout = &text
			}
			if err = opt.solve(cmd.Context(), game); err != nil || target == nil {
				return err
			}
			return target.WriteText(cmd.Context(), text.String())
		},
	})
	f := cmd.Flags()
	flags.Int(f, &opt.Sample, "sample", 0, 0, 1_000_000, "number of positions to print")
	flags.Seed(f, &opt.Seed, 1, "seed of the sample")
	flags.Int(f, &opt.MinPlies, "min-plies", 0, 0, 255, "leave out positions that end in fewer plies with best play")
	flags.Int(f, &opt.Nodes, "nodes", 200_000, 1, 1_000_000_000, "most nodes to search for one position")
	flags.Memory(f, memory.Some)
	flags.Workers(f, &opt.Workers, "cores to use (default: all)")
	flags.Int(f, &opt.Plies, "plies", 8, 1, 1000, "not for Onitama: most plies from a position to the end of its random game")
	f.IntSliceVar(&opt.cards, "cards", nil, "Onitama: the numbers of the five cards")
	flags.Int(f, &opt.Men, "men", 3, 1, tableMen+1, "Onitama: men of the player who has more, 1 to 4")
	flags.Int(f, &opt.table, "table", tableMen, 1, tableMen, "Onitama: with --men 4, men per side in the table that helps the search, 1 to 3")
	f.StringVar(&opt.four.File, "positions", "", "Connect Four: solve the positions in the lines of this file")
	f.BoolVar(&opt.four.Results, "results", false, "Connect Four: find only who wins, not in how many plies; takes less time")
	f.StringVar(&opt.keep, "keep", "", "Connect Four: append to this file which actions keep the result of each position of --positions")
	opt.register(cmd, "the file to write (default: standard output)", false)
	a.jsonFlag(cmd)
	flags.Exclude(cmd, "keep", "sample", "results", "output", "json")
	return cmd
}

// isConnectFour reports whether the named game is Connect Four, with any options.
func isConnectFour(game string) bool {
	name, _, _ := strings.Cut(game, ":")
	return name == connectfour.Rules.Name
}

// check returns an error if flags are missing or contradict each other.
func (o *solveOptions) check(cmd *cobra.Command, game string, json bool) error {
	for _, flag := range []string{"cards", "men", "table"} {
		if game != onitama.Classic.Name && cmd.Flags().Changed(flag) {
			return usagef("--%s is only for onitama, not for %s", flag, game)
		}
	}
	for _, flag := range []string{"positions", "results", "keep"} {
		if !isConnectFour(game) && cmd.Flags().Changed(flag) {
			return usagef("--%s is only for connectfour, not for %s", flag, game)
		}
	}
	named := o.four.File != "" || len(o.four.Positions) > 0
	switch {
	case !isConnectFour(game) && named:
		return usagef("only connectfour can solve a given position; for %s, draw positions with --sample", game)
	case o.keep != "" && (o.four.File == "" || len(o.four.Positions) > 0):
		return usagef("--keep needs the positions in a file: --positions FILE")
	case named && o.Sample > 0:
		return usagef("name the positions to solve, or draw them with --sample, but not both")
	case o.four.Results && !named:
		return usagef("--results needs a POSITION or --positions FILE")
	case isConnectFour(game) && !named && o.Sample == 0:
		return usagef("connectfour needs a POSITION, --positions FILE or --sample N")
	case named:
		return nil
	case game == onitama.Classic.Name && len(o.cards) == 0:
		return usagef("onitama needs --cards with the numbers of five cards, e.g. 8,6,0,12,9")
	case game == onitama.Classic.Name && len(o.cards) != 5:
		return usagef("--cards has %d numbers; it needs five, e.g. 8,6,0,12,9", len(o.cards))
	case game == onitama.Classic.Name && cmd.Flags().Changed("plies"):
		return usagef("--plies is not for onitama; choose its positions with --men")
	case game != onitama.Classic.Name && o.Sample == 0:
		return usagef("name the number of positions with --sample")
	case o.Sample > 0 && !json:
		return usagef("--sample is printed only as JSON: add --json")
	}
	return nil
}

// solve solves the positions that the flags select.
func (o *solveOptions) solve(ctx context.Context, game games.Entry) error {
	switch {
	case o.keep != "":
		return o.KeepColumns(ctx, o.four.File, o.keep)
	case o.four.File != "" || len(o.four.Positions) > 0:
		return o.SolveConnectFour(ctx, o.four)
	case game.Name == onitama.Classic.Name:
		return o.solveOnitama(ctx)
	}
	return o.SolveLate(ctx, game)
}

// solveOnitama solves the endings of Onitama with the five cards.
func (o *solveOptions) solveOnitama(ctx context.Context) error {
	men := o.Men
	if o.Men > tableMen {
		men = o.table
	}
	endings, err := onitama.NewEndings(o.cards, men-1)
	if err != nil {
		return usageError{err}
	}
	return o.SolveOnitama(ctx, endings, o.cards, o.Men > tableMen)
}
