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

// solveOptions is what the command line tells solve.
type solveOptions struct {
	measure.Solving
	outputFlags

	cards []int // of Onitama
	table int   // men a side of the table for the search of more
}

const tableMen = 3 // a side, of the largest table

func (a *app) solveCommand() *cobra.Command {
	var opt solveOptions
	cmd := arguments{{name: "GAME", offer: aGame}}.of(&cobra.Command{
		Use:   "solve",
		Short: "Exact values of positions that are small enough",
		Long: `Solves positions exactly and, with --sample N --json, prints N of them in which
the choice matters, in the form that "dojo evaluate --solved" reads: for every
action whether it wins (W), draws (D) or loses (L), and in how many plies. They
follow from --seed.

Onitama is solved for five cards and up to three men a side by retrograde
analysis, about a thousand million positions in 1.5 GB; samples come from random
games with those cards, in which a player has --men men and the other no more.
With --men 4 they are searched, the table of fewer men at hand.

Other games are searched to the end, from positions in the last --plies actions
of random games. A position whose values cannot all be proved within --nodes is
left out.`,
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
	flags.Int(f, &opt.Sample, "sample", 0, 0, 1_000_000, "how many positions to print")
	flags.Seed(f, &opt.Seed, 1, "seed of the sample")
	flags.Int(f, &opt.MinPlies, "min-plies", 0, 0, 255, "leave out positions that best play ends in fewer plies")
	flags.Int(f, &opt.Nodes, "nodes", 200_000, 1, 1_000_000_000, "positions made by the search for one line")
	flags.Memory(f, memory.Some)
	flags.Workers(f, &opt.Workers, "cores to use (default: all)")
	flags.Int(f, &opt.Plies, "plies", 8, 1, 1000, "how near to the end of a game positions are, but for Onitama")
	f.IntSliceVar(&opt.cards, "cards", nil, "Onitama: the five cards, by their numbers")
	flags.Int(f, &opt.Men, "men", 3, 1, tableMen+1, "Onitama: men of the player who has more, 1 to 4")
	flags.Int(f, &opt.table, "table", tableMen, 1, tableMen, "Onitama: men a side of the table for the search of four, 1 to 3")
	opt.register(cmd, "the file to write, in place of stdout", false)
	a.jsonFlag(cmd)
	return cmd
}

// check reports values that make no sense together.
func (o *solveOptions) check(cmd *cobra.Command, game string, json bool) error {
	for _, flag := range []string{"cards", "men", "table"} {
		if game != onitama.Classic.Name && cmd.Flags().Changed(flag) {
			return usagef("--%s is for onitama, and not for %s", flag, game)
		}
	}
	switch {
	case game == onitama.Classic.Name && len(o.cards) == 0:
		return usagef("which cards? --cards names five, such as 8,6,0,12,9")
	case game == onitama.Classic.Name && len(o.cards) != 5:
		return usagef("--cards names %d cards, not five", len(o.cards))
	case game == onitama.Classic.Name && cmd.Flags().Changed("plies"):
		return usagef("--plies is not for onitama: its positions are chosen by --men")
	case game != onitama.Classic.Name && o.Sample == 0:
		return usagef("how many positions? --sample says")
	case o.Sample > 0 && !json:
		return usagef("--sample prints lines of JSON: say --json")
	}
	return nil
}

// solveOnitama solves Onitama for the cards.
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
