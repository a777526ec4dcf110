package cli

import (
	"bytes"
	"context"

	"dojo.example/cli/measure"
	"dojo.example/engine/onitama"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"

	"github.com/spf13/cobra"
)

// solveOptions holds the flags of solve.
type solveOptions struct {
	measure.Solving
	outputFlags

	cards []int // the five cards of Onitama
	table int   // men per side in the table with whose help larger positions are searched
}

const tableMen = 3 // number of men per side in the largest table of endings

func (a *app) solveCommand() *cobra.Command {
	var opt solveOptions
	cmd := arguments{{name: "GAME", offer: aGame}}.of(&cobra.Command{
		Use:   "solve",
		Short: "Solve positions near the end of a game exactly",
		Long: `Solve positions near the end of a game exactly. With --sample N --json, the
command prints N solved positions in which the choice of the action matters, for
"dojo evaluate --solved". For each action it prints whether it wins (W), draws
(D) or loses (L), and in how many plies. The sample depends on --seed.

Onitama is solved by retrograde analysis, for five cards and up to three men per
side. This makes a table of about a thousand million positions in 1.5 GB of
memory. The sample comes from random games with those cards. In each position,
one player has --men men and the other one has at most as many. With --men 4,
positions are searched with the help of the table.

Other games are searched to the end, from positions within the last --plies
actions of random games. A position is left out if --nodes are not enough to
prove the values of all its actions.`,
		Example: `  dojo solve onitama --cards 8,6,0,12,9 --men 2
  dojo solve onitama --cards 8,6,0,12,9 --sample 1000 --json -o solved.jsonl
  dojo solve oanquan --plies 10 --sample 200 --seed 7 --json -o endings.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := gameNamed(args[0])
			if err != nil {
				return err
			}
			opt.Remarks, opt.Each = a.stderr, a.show
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
			if game.Name == onitama.Classic.Name {
				err = opt.solveOnitama(cmd.Context())
			} else {
				err = opt.SolveLate(cmd.Context(), game)
			}
			if err != nil || target == nil {
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
	opt.register(cmd, "the file to write (default: standard output)", false)
	a.jsonFlag(cmd)
	return cmd
}

// check returns an error if flags are missing or contradict each other.
func (o *solveOptions) check(cmd *cobra.Command, game string, json bool) error {
	for _, flag := range []string{"cards", "men", "table"} {
		if game != onitama.Classic.Name && cmd.Flags().Changed(flag) {
			return usagef("--%s is only for onitama, not for %s", flag, game)
		}
	}
	switch {
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
