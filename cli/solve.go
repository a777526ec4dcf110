package cli

import (
	"cmp"
	"context"

	"dojo.example/engine/onitama"
	"dojo.example/measure"

	"github.com/spf13/cobra"
)

// solveOptions is what the command line tells solve.
type solveOptions struct {
	measure.Solving
	json bool

	cards []int // of Onitama
	table int   // men a side of the table for the search of more
}

const (
	mostNodes  = 1_000_000_000
	mostMemory = 1 << 20 // MiB
	tableMen   = 3       // a side, of the largest table
)

func (a *app) solveCommand() *cobra.Command {
	var opt solveOptions
	cmd := &cobra.Command{
		Use:   "solve GAME",
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
  dojo solve onitama --cards 8,6,0,12,9 --sample 1000 --json > solved.jsonl
  dojo solve oanquan --plies 10 --sample 200 --seed 7 --json > endings.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := gameNamed(args[0])
			if err != nil {
				return err
			}
			if err := opt.check(cmd, game.Name); err != nil {
				return err
			}
			opt.Output = a.output(opt.json)
			if game.Name == onitama.Classic.Name {
				return opt.solveOnitama(cmd.Context())
			}
			return opt.SolveLate(cmd.Context(), game)
		},
	}
	f := cmd.Flags()
	f.IntVar(&opt.Sample, "sample", 0, "how many positions to print")
	f.Uint64Var(&opt.Seed, "seed", 1, "seed of the sample")
	f.IntVar(&opt.MinPlies, "min-plies", 0, "leave out positions that best play ends in fewer plies")
	f.IntVar(&opt.Nodes, "nodes", 200_000, "positions made by the search for one line")
	f.IntVar(&opt.Memory, "memory", 2048, "MiB that may be used")
	f.IntVar(&opt.Workers, "workers", 0, "cores to use (default: all)")
	f.IntVar(&opt.Plies, "plies", 8, "how near to the end of a game positions are, but for Onitama")
	f.IntSliceVar(&opt.cards, "cards", nil, "Onitama: the five cards, by their numbers")
	f.IntVar(&opt.Men, "men", 3, "Onitama: men of the player who has more, 1 to 4")
	f.IntVar(&opt.table, "table", tableMen, "Onitama: men a side of the table for the search of four, 1 to 3")
	jsonFlag(cmd, &opt.json)
	return cmd
}

// check reports values that make no sense, and fills in what was left open.
func (o *solveOptions) check(cmd *cobra.Command, game string) (err error) {
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
	case o.Sample > 0 && !o.json:
		return usagef("--sample prints lines of JSON: say --json")
	}
	o.Workers, err = checkWorkers(o.Workers)
	return cmp.Or(err,
		inRange("--sample", o.Sample, 0, mostPositions),
		inRange("--min-plies", o.MinPlies, 0, 255),
		inRange("--nodes", o.Nodes, 1, mostNodes),
		inRange("--memory", o.Memory, 1, mostMemory),
		inRange("--plies", o.Plies, 1, 1000),
		inRange("--men", o.Men, 1, tableMen+1),
		inRange("--table", o.table, 1, tableMen),
	)
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
