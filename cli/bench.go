package cli

import (
	"fmt"
	"strings"

	"dojo.example/cli/bench"
	"dojo.example/internal/console"

	"github.com/spf13/cobra"
)

func (a *app) benchCommand() *cobra.Command {
	var settings []string // KEY=VALUE settings that change the presets
	cmd := arguments{{name: "NAME", need: optional, many: true}}.of(&cobra.Command{
		Use:   "bench",
		Short: "Measure how fast this machine is",
		Long: `Measure how fast this machine is. The benchmarks run on one core, unless their
name ends in "all":

  peak/float32 peak/int8      multiply-adds only: the arithmetic peak
  kernel/float32/5x5x64 …     one layer; also int8, 9x9x64, 2x6x64
  network/PRESET/float32      a preset's network at its best batch; also int8
  search/GAME                 searches with a network that takes no time
  selfplay/PRESET/1 …/all     self-play with the built-in bot, or with random
                              weights if the sizes of its network differ
  train/PRESET/1 …/all        optimiser steps
  perft/GAME                  all ways to play a number of actions
  playout/GAME                random games

NAME selects the benchmarks whose names begin with it. Each figure is the median
of five repetitions after a warm-up. Shares are of the arithmetic peak, measured
in the same run. --set changes the presets of the selected benchmarks.`,
		Example: `  dojo bench perft playout
  dojo bench network/onitama selfplay/onitama/1 --json
  dojo bench selfplay/wallonitama-quick --set network.kind=sparse`,
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, err := bench.Choose(args, settings)
			if err != nil {
				return err
			}
			header := fmt.Sprintf("%s\n\n%s", kernelNames(), benchLine("name", "value", "unit", "each", "of peak"))
			if err := a.show(console.Report{Text: header}); err != nil {
				return err
			}
			return bench.Measure(cmd.Context(), chosen, func(r bench.Result) error { return a.show(benchReport(r)) })
		},
	})
	cmd.Flags().StringArrayVar(&settings, "set", nil, "change a setting of the selected presets, e.g. network.kind=sparse (repeatable)")
	a.jsonFlag(cmd)
	return cmd
}

// benchLine formats one row of the table of results.
func benchLine(name, value, unit, each, share string) string {
	return strings.TrimRight(fmt.Sprintf("%-34s %11s %-13s %9s %8s", name, value, unit, each, share), " ") + "\n"
}

// benchReport returns the report on one benchmark.
func benchReport(r bench.Result) console.Report {
	share, each := "", ""
	if r.OfPeak != nil {
		share = console.Percent(*r.OfPeak)
	}
	if r.Unit != bench.GigaOperations {
		each = threeDigits(1 / r.Value)
	}
	return console.Report{Text: benchLine(r.Name, console.Grouped(r.Value), r.Unit, each, share), Lines: []any{r}}
}

// threeDigits formats a time in seconds with three significant digits and a unit.
func threeDigits(seconds float64) string {
	switch {
	case seconds < 1e-6:
		return fmt.Sprintf("%.3g ns", 1e9*seconds)
	case seconds < 1e-3:
		return fmt.Sprintf("%.3g µs", 1e6*seconds)
	}
	return fmt.Sprintf("%.3g ms", 1e3*seconds)
}
