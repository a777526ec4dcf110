package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"dojo/engine"
	"dojo/games"
	"dojo/mcts"

	"github.com/spf13/cobra"
)

// A benchmark counts units of work: run does some and says how many.
type benchmark struct {
	name, unit string
	run        func() int
}

// measured is a benchmark's result.
type measured struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // units a second, the median of repetitions
	Unit  string  `json:"unit"`
}

// Repetitions of a benchmark after a warm-up, and the least time of each.
const (
	repetitions = 5
	repeatFor   = 300 * time.Millisecond
)

func (a *app) benchCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "bench [NAME…]",
		Short: "Measure how fast this machine is",
		Long: `Measures, on one core, what the games cost: perft/GAME counts every way to play
some actions, playout/GAME plays random games to their end, search/GAME searches
with a network that costs nothing. Names or their beginnings select; each figure
is the median of five repetitions after a warm-up.`,
		Example: `  dojo bench perft
  dojo bench search/onitama playout --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := chooseBenchmarks(args)
			if err != nil {
				return err
			}
			table := newGrid("name", "value", "unit", "cost")
			for _, b := range chosen {
				m, err := measure(cmd.Context(), b)
				if err != nil {
					return err
				}
				if asJSON {
					if err := a.printJSON(m); err != nil {
						return err
					}
					continue
				}
				table.row(m.Name, grouped(m.Value), m.Unit, fmt.Sprintf("%.0f ns", 1e9/m.Value))
			}
			if !asJSON {
				a.print(table)
			}
			return nil
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// chooseBenchmarks are those whose names begin with any of the prefixes; all
// without a prefix.
func chooseBenchmarks(prefixes []string) (chosen []benchmark, err error) {
	all := gameBenchmarks()
	if len(prefixes) == 0 {
		return all, nil
	}
	used := map[string]bool{}
	for _, b := range all {
		for _, p := range prefixes {
			if strings.HasPrefix(b.name, p) {
				chosen, used[p] = append(chosen, b), true
				break
			}
		}
	}
	for _, p := range prefixes {
		if !used[p] {
			return nil, fmt.Errorf("no benchmark's name begins with %q; without a name, bench measures all", p)
		}
	}
	return chosen, nil
}

// measure warms up and takes the median.
func measure(ctx context.Context, b benchmark) (measured, error) {
	b.run()
	var rates []float64
	for range repetitions {
		n, start := 0, time.Now()
		for time.Since(start) < repeatFor {
			if ctx.Err() != nil {
				return measured{}, context.Cause(ctx)
			}
			n += b.run()
		}
		rates = append(rates, float64(n)/time.Since(start).Seconds())
	}
	slices.Sort(rates)
	return measured{b.name, rates[len(rates)/2], b.unit}, nil
}

// grouped writes a number with its thousands apart.
func grouped(x float64) string {
	text := fmt.Sprintf("%.0f", x)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// gameBenchmarks are those of the rules and the search, game by game.
func gameBenchmarks() (all []benchmark) {
	for _, game := range games.All {
		all = append(all, benchmark{"perft/" + game.Name, "nodes/s", perftWork(game)})
	}
	for _, game := range games.All {
		rng := rand.New(rand.NewPCG(1, 0))
		all = append(all, benchmark{"playout/" + game.Name, "plies/s", func() int { return game.Playout(game.Start(rng), rng) }})
	}
	for _, game := range games.All {
		all = append(all, benchmark{"search/" + game.Name, "simulations/s", searchWork(game)})
	}
	return all
}

// perftWork counts from the first deal, to a depth of some hundred thousand
// nodes.
func perftWork(game games.Entry) func() int {
	start := game.Start(rand.New(rand.NewPCG(1, 0)))
	depth := sync.OnceValue(func() int {
		depth := 1
		for depth < game.MaxPlies && game.Perft(start, depth) < 200_000 {
			depth++
		}
		return depth
	})
	return func() int { return game.Perft(start, depth()) }
}

// searchWork plays games with searches of 100 simulations whose network has
// no opinion and costs nothing.
func searchWork(game games.Entry) func() int {
	cfg := mcts.Default()
	search := game.NewSearch(cfg)
	rng := rand.New(rand.NewPCG(1, 0))
	planes, logits := make([]float32, game.Planes.Size()), make([]float32, game.Actions)
	search.Reset(game.Start(rng), rng)
	return func() (simulations int) {
		if search.Position().Outcome() != engine.Ongoing {
			search.Reset(game.Start(rng), rng)
		}
		for !search.Done() {
			if search.Leaf(planes) {
				search.Expand(logits, 0)
			}
			simulations++
		}
		search.Play(search.Choose(1))
		return simulations
	}
}
