package cli

import (
	"context"
	"fmt"
	"time"

	"dojo.example/configs/propose"
	"dojo.example/games"
	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"

	"github.com/spf13/cobra"
)

func (a *app) presetCommand() *cobra.Command {
	var file outputFlags
	opt := propose.Options{For: 5 * time.Minute}
	cmd := arguments{{name: "GAME", offer: aGame}}.of(&cobra.Command{
		Use:   "preset",
		Short: "Write a preset that suits a game, this machine and a given time",
		Long: `Write a preset for "dojo train" that suits a game, this machine and the time
--for. The command plays random games and trains in small pilot runs. The
settings follow from the length of games, the number of legal actions, and the
speed of this machine; comments in the preset explain them. docs/SETTINGS.md
describes the other settings.

The command takes 10 % of the time --for, but at most a minute, plus three
seconds. It measures processor time, so other running programs hardly change the
preset. They do slow down the run itself. If the time is too short for the game,
the command prints a warning and writes the smallest preset.`,
		Example: `  dojo preset tictactoe --for 1m
  dojo preset onitama --for 1h -o onitama-1h.yaml`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if opt.For < 10*time.Second || opt.For > 1000*time.Hour {
				return usagef("--for %v is out of range; it must be from 10s to 1000h", opt.For)
			}
			game, err := games.ByName(args[0])
			if err != nil {
				return err
			}
			opt.Game = game.Game.Game
			return a.preset(cmd.Context(), opt, file)
		},
	})
	file.register(cmd, "the file to write (default: standard output)", false)
	cmd.Flags().DurationVar(&opt.For, "for", opt.For, "how long a run with the preset may take")
	flags.Workers(cmd.Flags(), &opt.Workers, "cores to use (default: all)")
	flags.Memory(cmd.Flags(), memory.Free)
	return cmd
}

// preset writes a preset to a file, or to stdout if no file is named.
func (a *app) preset(ctx context.Context, opt propose.Options, file outputFlags) error {
	target, err := file.open(ctx, a)
	if err != nil {
		return err
	}
	bar := console.NewBar(a.stderr, -1, "pilot run")
	opt.Progress = func(n int) { bar.Set(n, "generations") }
	opt.Warn = func(err error) {
		bar.Clear()
		fmt.Fprintf(a.stderr, "warning: %v\n", err)
	}
	text, err := propose.Preset(ctx, opt)
	bar.Clear()
	if err != nil {
		return err
	}
	if target == nil {
		_, err = a.stdout.Write(text)
		return err
	}
	if err := target.WriteText(ctx, string(text)); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "wrote %s; train with it: %s\n", file.out, command("train", file.out))
	return nil
}
