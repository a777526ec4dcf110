package cli

import (
	"fmt"
	"strings"

	"dojo.example/cli/bench"
	"dojo.example/internal/console"

	"github.com/spf13/cobra"
)

func (a *app) benchCommand() *cobra.Command {
	var settings []string // of presets
	cmd := arguments{{name: "NAME", need: optional, many: true}}.of(&cobra.Command{
		Use:   "bench",
		Short: "Measure how fast this machine is",
		Long: `Measures this machine, on one core where the name does not say "all":

  peak/float32 peak/int8      nothing but multiply-adds
  kernel/float32/5x5x64 …     one layer; also int8, 9x9x64, 2x6x64
  network/PRESET/float32      a preset's network at its best batch; also int8
  search/GAME                 searches with a network that costs nothing
  selfplay/PRESET/1 …/all     whole self-play with the bot in the box, or with a
                              network of random weights if its sizes differ
  train/PRESET/1 …/all        optimiser steps
  perft/GAME playout/GAME     every way to play some actions; random games

Names or their beginnings select. Each figure is the median of five repetitions
after a warm-up; shares are of the peak measured in the same run. --set changes
the presets that are selected.`,
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
	cmd.Flags().StringArrayVar(&settings, "set", nil, "change a setting of the presets, e.g. network.kind=sparse (repeatable)")
	a.jsonFlag(cmd)
	return cmd
}

// benchLine is a line of the table of benchmarks.
func benchLine(name, value, unit, each, share string) string {
	return strings.TrimRight(fmt.Sprintf("%-34s %11s %-13s %9s %8s", name, value, unit, each, share), " ") + "\n"
}

// benchReport reports the result of a benchmark.
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

// threeDigits writes seconds with three digits.
func threeDigits(seconds float64) string {
	switch {
	case seconds < 1e-6:
		return fmt.Sprintf("%.3g ns", 1e9*seconds)
	case seconds < 1e-3:
		return fmt.Sprintf("%.3g µs", 1e6*seconds)
	}
	return fmt.Sprintf("%.3g ms", 1e3*seconds)
}
