// Scaling estimates how many workers one trainer can use: it simulates generations of a run
// with any number of workers, event by event, from the costs of the parts, and prints a table.
//
//	go run ./cluster/scaling                       all presets
//	go run ./cluster/scaling -workers 1000 onitama where a generation's time goes
//	go run ./cluster/scaling -workers 1000 -games 64 -training 50 onitama
//
// The last is with 64 times as many games, for a trainer that trains 50 times as fast.
// In the table a number of workers is enough if a generation takes at most a tenth longer
// with it than with any larger one.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"text/tabwriter"

	"dojo/configs"
)

func main() {
	var s setup
	workers := flag.Int("workers", -1, "tell where the time goes with so many `workers`, and not the table")
	flag.IntVar(&s.trainerCores, "trainer", 2, "`cores` of the trainer")
	flag.IntVar(&s.workerCores, "worker", 2, "`cores` of a worker")
	flag.Float64Var(&s.link, "link", 125e6, "the trainer's network, `bytes/s`")
	games := flag.Int("games", 1, "how many `times` the preset's games are in a generation")
	flag.IntVar(&s.shardGames, "shard", 0, "`games` in a shard (default: the preset's)")
	flag.Float64Var(&s.trainingSpeedup, "training", 1, "how many `times` as fast the trainer trains, as on other hardware")
	flag.Parse()
	names := flag.Args()
	if len(names) == 0 {
		names = configs.Names()
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	if *workers < 0 {
		fmt.Fprintln(out, "| preset\t| alone\t| lag 0: enough\t| then\t| at 1,000\t| first short of\t| lag 1: enough\t| then\t| at 1,000\t| first short of\t|")
		fmt.Fprintln(out, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	}
	for _, name := range names {
		l, err := loadOf(name, *games, s)
		if err != nil {
			fmt.Fprintln(os.Stderr, "scaling:", err)
			os.Exit(1)
		}
		if *workers >= 0 {
			for _, lag := range []int{0, 1} {
				fmt.Fprintf(out, "%s, lag %d:\t%v\n", name, lag, simulate(l, *workers, lag))
			}
			continue
		}
		alone := simulate(l, 0, 0).period
		fmt.Fprintf(out, "| %s\t| %.1f s", name, alone)
		for _, lag := range []int{0, 1} {
			n, r := saturation(l, lag)
			most := simulate(l, 1000, lag)
			fmt.Fprintf(out, "\t| %d\t| %.1f ×\t| %.1f ×\t| %s", n, alone/r.period, alone/most.period, most.bottleneck())
		}
		fmt.Fprintln(out, "\t|")
	}
	if err := out.Flush(); err != nil {
		os.Exit(1)
	}
}

// A setup describes the machines.
type setup struct {
	trainerCores, workerCores int
	shardGames                int     // games in a shard; 0 for the preset's
	link                      float64 // speed of the trainer's network, bytes/s
	trainingSpeedup           float64 // by which training is faster than on the cores
}

// saturation returns the smallest number of workers, of 1, 2, 3, 4, 6, 8, 12, …, with which a
// generation takes at most 10 % longer than with the best number of them.
func saturation(l load, lag int) (int, result) {
	counts := []int{1}
	for n := 2; n <= 1024; n *= 2 {
		counts = append(counts, n, n+n/2)
	}
	var all []result
	best := math.Inf(1)
	for _, n := range counts {
		r := simulate(l, n, lag)
		all = append(all, r)
		best = min(best, r.period)
	}
	i := slices.IndexFunc(all, func(r result) bool { return r.period <= 1.1*best })
	return counts[i], all[i]
}
