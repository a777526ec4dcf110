package cli

import (
	"context"
	"errors"
	"fmt"

	"dojo.example/data/rundir"
	"dojo.example/train"

	"github.com/spf13/cobra"
)

// A stageVerb is a verb that runs one stage of a run's next generation, such as self-play.
type stageVerb struct {
	name  string
	short string // the first line of the help, without a full stop
	more  string // the rest of the help; may be empty
	done  string // message to print after the stage
	next  string // verb that runs the next stage
	run   func(context.Context, train.Options) error
}

// stageCommand returns the cobra command of a stage's verb.
func stageCommand(app *app, stage stageVerb) *cobra.Command {
	var flags runFlags
	cmd := arguments{aPreset}.of(&cobra.Command{
		Use:   stage.name,
		Short: stage.short,
		Long: stage.short + `.
The command does only this stage of the generation, and then stops. The results
are kept in the run's folder, and "dojo train" can continue from there. If the
run does not exist, the command starts one with PRESET.` + stage.more,
		Example: fmt.Sprintf("  dojo %s --run runs/onitama-quick", stage.name),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.given = givenFlags(cmd)
			ctx, cancel := flags.within(cmd.Context())
			defer cancel()
			return app.stage(ctx, flags, args, stage)
		},
	})
	flags.register(cmd)
	app.logFlags(cmd, auto)
	return cmd
}

// stage runs one stage of the run that the flags name, and prints the command for the next stage.
func (a *app) stage(ctx context.Context, flags runFlags, args []string, stage stageVerb) error {
	if len(args) == 0 {
		if _, err := flags.In().Config(); errors.Is(err, rundir.ErrNoRun) {
			return fmt.Errorf("%w; to start a run there, name a PRESET", err)
		}
	}
	p, err := flags.prepare(args)
	if err == nil {
		err = p.Begin()
	}
	if err != nil {
		return err
	}
	opt := p.Options
	display := a.progress(opt.Train.Generations)
	opt.Report = display
	err = stage.run(ctx, opt)
	display.Clear()
	if err != nil {
		return a.stopped(ctx, err, flags.limit, opt)
	}
	next := command(append([]string{stage.next, "--run", string(opt.Folder)}, opt.Flags...)...)
	a.say(stage.done+"; continue with: "+next, stage.done, "continue", next)
	return nil
}
