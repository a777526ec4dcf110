package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dojo/train"

	"github.com/spf13/cobra"
)

// stageCommand runs one stage of a run's next generation.
func stageCommand(app *app, name, short string, stage func(*train.Run, context.Context) error) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   name + " [PRESET]",
		Short: short,
		Long: short + `,
and stop. What the stage makes is kept in the run's folder; dojo train goes on
from there.`,
		Example: fmt.Sprintf("  dojo %s --run runs/onitama-quick", name),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.within(cmd.Context(), func(ctx context.Context) error {
				return withRun(app, flags, args, func(r *train.Run) error { return stage(r, ctx) })
			})
		},
	}
	flags.register(cmd)
	return cmd
}

func withRun(app *app, flags runFlags, args []string, work func(*train.Run) error) error {
	preset := ""
	if len(args) > 0 {
		preset = args[0]
	}
	report := &report{app: app, start: time.Now()}
	r, opt, err := openRun(flags, preset, 0, report)
	if err != nil {
		return err
	}
	report.last = opt.Train.Generations
	err = work(r)
	report.clear()
	if err := errors.Join(err, r.Close()); err != nil {
		return stopped(app, err, flags.limit, opt.Dir)
	}
	return nil
}
