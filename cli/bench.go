package cli

import (
	"dojo.example/cli/bench"
	"dojo.example/cli/measure"

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
			return measure.Bench(cmd.Context(), a.output(), kernelNames(), chosen)
		},
	})
	cmd.Flags().StringArrayVar(&settings, "set", nil, "change a setting of the presets, e.g. network.kind=sparse (repeatable)")
	a.jsonFlag(cmd)
	return cmd
}
