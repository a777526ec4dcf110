package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"dojo/configs"
	"dojo/engine"
	"dojo/games"
	"dojo/mcts"
	"dojo/model"
	"dojo/model/kernel"
	"dojo/think"

	"github.com/spf13/cobra"
)

// A benchmark counts units of work.
type benchmark struct {
	name, unit string
	make       func() func() float64 // the work: it does some, and says how many units

	// Where a share of the peak means something: which one, and how many
	// operations a unit stands for.
	peak       string
	operations float64
}

// ready is the work of a benchmark that needs no preparation.
func ready(work func() float64) func() func() float64 {
	return func() func() float64 { return work }
}

// measured is a benchmark's result.
type measured struct {
	Name   string   `json:"name"`
	Value  float64  `json:"value"` // units a second, the median of repetitions
	Unit   string   `json:"unit"`
	OfPeak *float64 `json:"of_peak,omitempty"` // share of the arithmetic peak measured in the same run

	Kernels string `json:"kernels"` // the instruction set of package kernel in floats
	Quant   string `json:"kernels_int8"`
}

// Repetitions of a benchmark after a warm-up, and the least time of each.
const (
	repetitions = 5
	repeatFor   = 300 * time.Millisecond
)

func (a *app) benchCommand() *cobra.Command {
	var opt benchOptions
	cmd := &cobra.Command{
		Use:   "bench [NAME…]",
		Short: "Measure how fast this machine is",
		Long: `Measures this machine, on one core where the name does not say "all":

  peak/float32 peak/int8      nothing but multiply-adds
  kernel/float32/5x5x64 …     one layer; also int8, 9x9x64, 2x6x64
  network/PRESET/float32      a preset's network at its best batch; also int8
  search/GAME                 searches with a network that costs nothing
  selfplay/PRESET/1 …/all     whole self-play with a network of random weights
  train/PRESET/1 …/all        optimiser steps
  perft/GAME playout/GAME     every way to play some actions; random games

Names or their beginnings select. Each figure is the median of five repetitions
after a warm-up; shares are of the peak measured in the same run, and may pass
100 % where training needs fewer products than are counted. --set changes the
presets that are selected.`,
		Example: `  dojo bench perft playout
  dojo bench network/onitama selfplay/onitama/1 --json
  dojo bench selfplay/wallonitama-quick --set network.kind=sparse`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.bench(cmd.Context(), args, opt) },
	}
	cmd.Flags().StringArrayVar(&opt.settings, "set", nil, "change a setting of the presets, e.g. network.kind=sparse (repeatable)")
	jsonFlag(cmd, &opt.json)
	return cmd
}

// benchOptions is what the command line tells bench.
type benchOptions struct {
	settings []string // of presets
	json     bool
}

// bench measures what the names select, and prints each result as it is known.
func (a *app) bench(ctx context.Context, names []string, opt benchOptions) error {
	chosen, err := chooseBenchmarks(names, opt.settings)
	if err != nil {
		return err
	}
	if opt.json {
		return measureAll(ctx, chosen, func(m measured) error { return a.printJSON(m) })
	}
	const line = "%-34s %11s %-13s %9s %8s"
	show := func(name, value, unit, each, share string) error {
		_, err := fmt.Fprintln(a.stdout, strings.TrimRight(fmt.Sprintf(line, name, value, unit, each, share), " "))
		return err
	}
	if _, err := fmt.Fprintf(a.stdout, "%s\n\n", kernelNames()); err != nil {
		return err
	}
	if err := show("name", "value", "unit", "each", "of peak"); err != nil {
		return err
	}
	return measureAll(ctx, chosen, func(m measured) error {
		share, each := "", ""
		if m.OfPeak != nil {
			share = percent(*m.OfPeak)
		}
		if m.Unit != gigaOperations {
			each = duration(1 / m.Value)
		}
		return show(m.Name, grouped(m.Value), m.Unit, each, share)
	})
}

// chooseBenchmarks are those whose names begin with any of the prefixes; all
// without a prefix. The settings change the presets among them.
func chooseBenchmarks(prefixes, settings []string) (chosen []benchmark, err error) {
	used := map[string]bool{}
	choose := func(all []benchmark) (chosen []benchmark) {
		for _, b := range all {
			wanted := len(prefixes) == 0
			for _, p := range prefixes {
				if strings.HasPrefix(b.name, p) {
					wanted, used[p] = true, true
				}
			}
			if wanted {
				chosen = append(chosen, b)
			}
		}
		return chosen
	}
	chosen = choose(append(peakBenchmarks(), kernelBenchmarks()...))
	changed := false
	for _, name := range configs.Names() {
		all, err := presetBenchmarks(name, nil)
		if err == nil && len(settings) > 0 && len(choose(all)) > 0 {
			changed = true
			all, err = presetBenchmarks(name, settings)
		}
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, choose(all)...)
	}
	chosen = append(chosen, choose(gameBenchmarks())...)
	for _, p := range prefixes {
		if !used[p] {
			return nil, usagef("no benchmark's name begins with %q; without a name, bench measures all", p)
		}
	}
	if len(settings) > 0 && !changed {
		return nil, usagef("--set changes presets, and none of the benchmarks is of one")
	}
	return chosen, nil
}

// measureAll measures benchmarks one after another; of those that follow each
// other under one name the best counts. A peak is measured once before it is
// asked for.
func measureAll(ctx context.Context, chosen []benchmark, show func(measured) error) error {
	peaks := map[string]float64{}
	for _, b := range peakBenchmarks() {
		for _, c := range chosen {
			if c.peak == b.name && peaks[b.name] == 0 {
				m, err := measure(ctx, b)
				if err != nil {
					return err
				}
				peaks[b.name] = 1e9 * m.Value
			}
		}
	}
	for i := 0; i < len(chosen); {
		var best measured
		b := chosen[i]
		for ; i < len(chosen) && chosen[i].name == b.name; i++ {
			m, err := measure(ctx, chosen[i])
			if err != nil {
				return err
			}
			if m.Value > best.Value {
				best = m
			}
		}
		if peak := peaks[b.peak]; peak > 0 {
			share := best.Value * b.operations / peak
			best.OfPeak = &share
		}
		if err := show(best); err != nil {
			return err
		}
	}
	return nil
}

// measure warms up and takes the median.
func measure(ctx context.Context, b benchmark) (m measured, err error) {
	defer func() {
		if failed, ok := recover().(error); ok {
			err = fmt.Errorf("benchmark %s: %w", b.name, failed)
		}
	}()
	work := b.make()
	work()
	var rates []float64
	for range repetitions {
		n, start := 0.0, time.Now()
		for time.Since(start) < repeatFor {
			if ctx.Err() != nil {
				return m, context.Cause(ctx)
			}
			n += work()
		}
		rates = append(rates, n/time.Since(start).Seconds())
	}
	slices.Sort(rates)
	return measured{
		Name: b.name, Value: rates[len(rates)/2], Unit: b.unit,
		Kernels: kernel.Name(), Quant: kernel.QuantName(),
	}, nil
}

// duration writes seconds with three digits.
func duration(seconds float64) string {
	switch {
	case seconds < 1e-6:
		return fmt.Sprintf("%.3g ns", 1e9*seconds)
	case seconds < 1e-3:
		return fmt.Sprintf("%.3g µs", 1e6*seconds)
	}
	return fmt.Sprintf("%.3g ms", 1e3*seconds)
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
		all = append(all, benchmark{name: "perft/" + game.Name, unit: "nodes/s", make: func() func() float64 { return perftWork(game) }})
	}
	for _, game := range games.All {
		all = append(all, benchmark{name: "playout/" + game.Name, unit: "plies/s", make: func() func() float64 {
			rng := rand.New(rand.NewPCG(1, 0))
			return func() float64 { return float64(game.Playout(game.Start(rng), rng)) }
		}})
	}
	for _, game := range games.All {
		all = append(all, benchmark{name: "search/" + game.Name, unit: "simulations/s", make: func() func() float64 { return searchWork(game) }})
	}
	return all
}

// perftWork counts from the first deal, to a depth of some hundred thousand
// nodes.
func perftWork(game games.Entry) func() float64 {
	start, depth := game.Start(rand.New(rand.NewPCG(1, 0))), 1
	for depth < game.MaxPlies && game.Perft(start, depth) < 200_000 {
		depth++
	}
	return func() float64 { return float64(game.Perft(start, depth)) }
}

// searchWork plays games with searches of 100 simulations whose network has
// no opinion and costs nothing.
func searchWork(game games.Entry) func() float64 {
	cfg := mcts.Default()
	silent := model.EvaluatorFunc(func(context.Context, *model.Batch) error { return nil })
	driver := think.NewDriver(game.NewSearch(cfg), game.Spec, silent, 1, 1)
	lane, noise := driver.Lanes[0], cfg.Noise()
	search, rng := lane.Search, rand.New(rand.NewPCG(1, 0))
	search.Reset(game.Start(rng), rng)
	return func() float64 {
		if search.Position().Outcome() != engine.Ongoing {
			search.Reset(game.Start(rng), rng)
		}
		lane.Begin(noise, think.Budget{Visits: cfg.Simulations})
		must(driver.Run(context.Background(), func(*think.Lane, think.Stop) error { return nil }))
		made := lane.Simulations()
		search.Play(search.Choose(1))
		return float64(made)
	}
}
