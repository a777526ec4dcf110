package cli

import (
	"context"
	"fmt"
	"time"

	"dojo.example/arena"
	"dojo.example/configs/propose"
	"dojo.example/games"
	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/search/think"

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

Some games have several lists of features, which the option "features" chooses,
as in othello:features=patterns. If GAME does not set this option, the command
trains small runs with each list and with networks of different sizes, for equal
time. Their models play matches. The preset uses the features and the sizes that
win clearly; its comments show the results.

The command takes 10 % of the time --for, but at most a minute, plus three
seconds. Trying features takes up to another 10 %, but at most three minutes. If
--for is too short for that, the command does not try them, and the preset says
so. The command measures processor time, so other running programs hardly change
the preset. They do slow down the run itself. If the time is too short for the
game, the command prints a warning and writes the smallest preset.`,
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
			return a.preset(cmd.Context(), game, opt, file)
		},
	})
	file.register(cmd, "the file to write (default: standard output)", false)
	cmd.Flags().DurationVar(&opt.For, "for", opt.For, "how long a run with the preset may take")
	flags.Workers(cmd.Flags(), &opt.Workers, "cores to use (default: all)")
	flags.Memory(cmd.Flags(), memory.Free)
	return cmd
}

// preset writes a preset to a file, or to stdout if no file is named.
func (a *app) preset(ctx context.Context, game games.Entry, opt propose.Options, file outputFlags) error {
	variants, err := game.Variants()
	if err != nil {
		return err
	}
	opt.Game = game.Game.Game
	for _, v := range variants[1:] {
		opt.Variants = append(opt.Variants, v.Game.Game)
	}
	target, err := file.open(ctx, a)
	if err != nil {
		return err
	}
	bar := console.NewBar(a.stderr, -1, "pilot run")
	opt.Progress = func(n int, trying string) {
		remark := "generations"
		if trying != "" {
			remark += ", trying " + trying
		}
		bar.Set(n, remark)
	}
	opt.Compare = func(ctx context.Context, x, y propose.Player, games int) (score, low float64, err error) {
		return compare(ctx, game, [2]propose.Player{x, y}, arena.Options{Games: games, Workers: opt.Workers, Progress: func(done int, _ arena.Result) {
			bar.Set(done, fmt.Sprintf("of %d games of %s", games, x.Name))
		}})
	}
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

// compare plays a match between two models that may read different features of the game. It returns
// the score of the first one and the lower bound of its 95 % interval.
func compare(ctx context.Context, game games.Entry, players [2]propose.Player, match arena.Options) (score, low float64, err error) {
	match.Game, match.Seed, match.Again = game.Game.Game, 1, true
	for i, c := range []*arena.Contestant{&match.A, &match.B} {
		p := players[i]
		reads, err := game.ReadBy(p.Model)
		if err != nil {
			return 0, 0, err
		}
		if *c, err = arena.Model(reads, p.Name, p.Model, think.Budget{Visits: p.Simulations}); err != nil {
			return 0, 0, err
		}
		c.Player = p.Name
	}
	if match.OpeningPlies, _, err = arena.Plies(ctx, match); err != nil {
		return 0, 0, fmt.Errorf("openings: %w", err)
	}
	result, err := arena.Match(ctx, match)
	if err != nil {
		return 0, 0, fmt.Errorf("match of %s against %s: %w", players[0].Name, players[1].Name, err)
	}
	score, low, _ = result.Interval()
	return score, low, nil
}
