package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dojo/run"
	"dojo/train"

	"github.com/spf13/cobra"
)

// stageCommand runs one stage of a run's next generation.
func stageCommand(app *app, name, short, more string, stage func(context.Context, train.Options) error) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   name + " [PRESET]",
		Short: short,
		Long: short + `, and stop.
What the stage makes is kept in the run's folder; dojo train goes on from there.
With PRESET a run is begun if there is none.` + more,
		Example: fmt.Sprintf("  dojo %s --run runs/onitama-quick", name),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.within(cmd.Context(), func(ctx context.Context) error {
				return runStage(ctx, app, flags, args, stage)
			})
		},
	}
	flags.register(cmd)
	return cmd
}

// runStage prepares the run that the flags name and runs a stage there.
func runStage(ctx context.Context, app *app, flags runFlags, args []string, stage func(context.Context, train.Options) error) error {
	preset := ""
	if len(args) > 0 {
		preset = args[0]
	} else if _, err := flags.folder("").Config(); errors.Is(err, run.ErrNoRun) {
		return fmt.Errorf("%w; to begin one there, name a PRESET", err)
	}
	report := &report{app: app, start: time.Now()}
	p, err := prepare(flags, preset, 0, report)
	if err == nil {
		err = p.begin()
	}
	if err != nil {
		return err
	}
	report.last = p.opt.Train.Generations
	err = stage(ctx, p.opt)
	report.clear()
	if err != nil {
		return stopped(app, err, flags.limit, p.opt.Folder)
	}
	return nil
}

// alone is a stage that only one process at a time can work on.
func alone(stage func(*train.Run, context.Context) error) func(context.Context, train.Options) error {
	return func(ctx context.Context, opt train.Options) error {
		r, err := train.Open(opt)
		if err != nil {
			return err
		}
		return errors.Join(stage(r, ctx), r.Close())
	}
}
