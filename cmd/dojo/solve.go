package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"dojo/engine/onitama"
	"dojo/games"
	"dojo/internal/console"
	"dojo/solve"

	"github.com/spf13/cobra"
)

// solveOptions is what the command line tells solve.
type solveOptions struct {
	sample   int
	seed     uint64
	minPlies int
	workers  int
	memory   int // MiB
	nodes    int
	json     bool

	plies int // of games by search alone

	lost  string // the file of a match log
	loser string // a player there; "": anybody

	cards []int // of Onitama
	men   int
	table int
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
left out.

With --lost FILE the positions are those in which games were lost that "dojo
evaluate --ladder FILE" has kept: of each game the last one in which the action
played loses, as a search of --nodes for each action proves, and some other
holds (H), which is not proven to lose.`,
		Example: `  dojo solve onitama --cards 8,6,0,12,9 --men 2
  dojo solve onitama --cards 8,6,0,12,9 --sample 1000 --json > solved.jsonl
  dojo solve onitama --lost ladder.jsonl --loser box:64 --nodes 2000000 --json > blunders.jsonl
  dojo solve oanquan --plies 10 --sample 200 --seed 7 --json > endings.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := gameNamed(args[0])
			if err != nil {
				return err
			}
			if err := opt.check(cmd, game.Name); err != nil {
				return err
			}
			if opt.lost != "" {
				return a.solveLost(cmd.Context(), game, opt)
			}
			if game.Name == onitama.Classic.Name {
				return a.solveOnitama(cmd.Context(), opt)
			}
			return a.solveLate(cmd.Context(), game, opt)
		},
	}
	f := cmd.Flags()
	f.IntVar(&opt.sample, "sample", 0, "how many positions to print")
	f.Uint64Var(&opt.seed, "seed", 1, "seed of the sample")
	f.IntVar(&opt.minPlies, "min-plies", 0, "leave out positions that best play ends in fewer plies")
	f.IntVar(&opt.nodes, "nodes", 200_000, "positions made by the search for one line")
	f.IntVar(&opt.memory, "memory", 2048, "MiB that may be used")
	f.IntVar(&opt.workers, "workers", 0, "cores to use (default: all)")
	f.IntVar(&opt.plies, "plies", 8, "how near to the end of a game positions are, but for Onitama")
	f.StringVar(&opt.lost, "lost", "", "a ladder's file, of whose lost games positions are printed")
	f.StringVar(&opt.loser, "loser", "", "who lost them, as the ladder names a player (anybody)")
	f.IntSliceVar(&opt.cards, "cards", nil, "Onitama: the five cards, by their numbers")
	f.IntVar(&opt.men, "men", 3, "Onitama: men of the player who has more, 1 to 4")
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
	if o.lost != "" {
		for _, flag := range []string{"cards", "men", "table", "plies", "min-plies", "sample", "seed"} {
			if cmd.Flags().Changed(flag) {
				return usagef("--%s is not for --lost", flag)
			}
		}
	}
	switch {
	case o.lost != "" && !o.json:
		return usagef("--lost prints lines of JSON: say --json")
	case o.lost != "":
	case o.loser != "":
		return usagef("--loser is for --lost")
	case game == onitama.Classic.Name && len(o.cards) == 0:
		return usagef("which cards? --cards names five, such as 8,6,0,12,9")
	case game == onitama.Classic.Name && len(o.cards) != 5:
		return usagef("--cards names %d cards, not five", len(o.cards))
	case game == onitama.Classic.Name && cmd.Flags().Changed("plies"):
		return usagef("--plies is not for onitama: its positions are chosen by --men")
	case game != onitama.Classic.Name && o.sample == 0:
		return usagef("how many positions? --sample says")
	case o.sample > 0 && !o.json:
		return usagef("--sample prints lines of JSON: say --json")
	}
	o.workers, err = checkWorkers(o.workers)
	return cmp.Or(err,
		inRange("--sample", o.sample, 0, mostPositions),
		inRange("--min-plies", o.minPlies, 0, 255),
		inRange("--nodes", o.nodes, 1, mostNodes),
		inRange("--memory", o.memory, 1, mostMemory),
		inRange("--plies", o.plies, 1, 1000),
		inRange("--men", o.men, 1, tableMen+1),
		inRange("--table", o.table, 1, tableMen),
	)
}

// need says how much memory will be used, and refuses what is more than allowed.
func (a *app) need(opt solveOptions, bytes int64, what string) error {
	mib := (bytes + 1<<20 - 1) >> 20
	if mib > int64(opt.memory) {
		return fmt.Errorf("%s needs %d MiB, more than --memory %d", what, mib, opt.memory)
	}
	fmt.Fprintf(a.stderr, "%s: %d MiB\n", what, mib)
	return nil
}

// solveLate samples a game by search alone.
func (a *app) solveLate(ctx context.Context, game games.Entry, opt solveOptions) error {
	endings := game.Endings(opt.plies, opt.nodes)
	what := fmt.Sprintf("a search of %d nodes on each of %d threads", opt.nodes, opt.workers)
	if err := a.need(opt, endings.Bytes*int64(opt.workers), what); err != nil {
		return err
	}
	return a.sample(ctx, opt, endings.Candidates)
}

// solveOnitama solves the table, tells what is in it, and samples.
func (a *app) solveOnitama(ctx context.Context, opt solveOptions) error {
	men, searched := opt.men, opt.men > tableMen
	if searched {
		men = opt.table
	}
	endings, err := onitama.NewEndings(opt.cards, men-1)
	if err != nil {
		return usageError{err}
	}
	bytes := solve.TableBytes(endings)
	what := fmt.Sprintf("a table of %d positions", endings.Open()*onitama.Deals)
	if searched {
		bytes += solve.ProverBytes[onitama.State](opt.nodes) * int64(opt.workers)
		what += fmt.Sprintf(" and a search of %d nodes on each of %d threads", opt.nodes, opt.workers)
	}
	if err := a.need(opt, bytes, what); err != nil {
		return err
	}
	table, err := a.solveTable(ctx, endings, opt)
	if err != nil || opt.sample == 0 {
		return err
	}
	fit := func(s onitama.State, _ int) bool { return s.Most() == opt.men }
	return a.sample(ctx, opt, func(stop func() bool) solve.Candidate {
		solved := table.Line
		if searched {
			solved = (&solve.Prover[onitama.State]{Nodes: opt.nodes, Probe: table.Value, Stop: stop}).Line
		}
		return func(rng *rand.Rand) (solve.Line, bool) {
			s, ok := solve.Draw(onitama.Shuffled(opt.cards, rng), rng, fit)
			if !ok {
				return solve.Line{}, false
			}
			return solved(s.Fresh())
		}
	})
}

// solveTable solves the endings and, unless lines are wanted, says how many are
// won, lost and drawn.
func (a *app) solveTable(ctx context.Context, endings *onitama.Endings, opt solveOptions) (*solve.Table, error) {
	table := solve.NewTable(endings)
	total, longest := endings.Open()*onitama.Deals, 0
	var decided [2]int // lost, won
	progress := console.NewBar(a.stderr, total, "positions decided")
	err := table.Solve(ctx, opt.workers, func(plies, positions int) {
		decided[plies%2] += positions
		if positions > 0 {
			longest = plies
		}
		progress.Set(decided[0]+decided[1], fmt.Sprintf("in %d plies", plies))
	})
	progress.Clear()
	if err != nil || opt.sample > 0 {
		return table, err
	}
	drawn := total - decided[0] - decided[1]
	if opt.json {
		return table, a.printJSON(map[string]any{
			"game": onitama.Classic.Name, "cards": opt.cards, "men": min(opt.men, tableMen), "positions": total,
			"won": decided[1], "lost": decided[0], "drawn": drawn, "plies": longest,
		})
	}
	share := func(n int) string { return fmt.Sprintf("%d, %s", n, console.Percent(float64(n)/float64(total))) }
	fmt.Fprintln(a.stdout, "onitama, values for the player to move")
	facts(a, [][2]any{
		{"positions", total}, {"won", share(decided[1])}, {"lost", share(decided[0])}, {"drawn", share(drawn)},
		{"longest", fmt.Sprintf("%d plies", longest)},
	})
	return table, nil
}

// sample prints the lines of a sample.
func (a *app) sample(ctx context.Context, opt solveOptions, candidates func(stop func() bool) solve.Candidate) error {
	progress := console.NewBar(a.stderr, opt.sample, "positions solved")
	defer progress.Clear()
	return solve.Sample(ctx, solve.Sampling{
		Positions: opt.sample, Seed: opt.seed, MinPlies: opt.minPlies, Workers: opt.workers,
		Each:     func(l solve.Line) error { return a.printJSON(l) },
		Progress: func(done int) { progress.Set(done, "") },
	}, candidates)
}
