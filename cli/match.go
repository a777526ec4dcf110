package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"dojo.example/arena"
	"dojo.example/cli/measure"
	"dojo.example/games/box"
	"dojo.example/internal/flags"
	"dojo.example/internal/memory"
	"dojo.example/model"
	"dojo.example/search/think"

	"github.com/spf13/cobra"
)

// mostSimulations is the largest number of simulations of a search.
const mostSimulations = arena.MostSimulations

// matchOptions is what the command line tells of matches.
type matchOptions struct {
	arena.Options
	simulations int // of models whose names do not say it
	cluster     clusterFlags
}

func (o *matchOptions) flags(cmd *cobra.Command, games, simulations int) {
	flags.Games(cmd.Flags(), &o.Games, games, 2, "games of a match, an even number: every opening is played twice, sides swapped")
	flags.IntOr(cmd.Flags(), &o.OpeningPlies, "openings", arena.ChoosePlies, 0, math.MaxInt,
		fmt.Sprintf("%d, or more if a game has too few openings", arena.UsualPlies), "random actions before the players start")
	flags.Int(cmd.Flags(), &o.simulations, "simulations", simulations, 1, mostSimulations, "root visits of a model's search, unless its name says (MODEL:SIMS, MODEL@50ms)")
	flags.Workers(cmd.Flags(), &o.Workers, "games to play at a time (default: one a core)")
	flags.Memory(cmd.Flags(), memory.Half)
	flags.Seed(cmd.Flags(), &o.Seed, 1, "seed of deals, openings and players")
}

// matchCommandOptions is what the command line tells match.
type matchCommandOptions struct {
	matchOptions
	game     string // "": the game of the first model
	sprt     []float64
	balanced float32
	clock    arena.Clock
	log      string // the file of a match log
}

func (a *app) matchCommand() *cobra.Command {
	var opt matchCommandOptions
	cmd := arguments{{name: "A", offer: aPlayer}, {name: "B", offer: aPlayer}}.of(&cobra.Command{
		Use:   "match",
		Short: "Two players play a paired match",
		Long: `Plays a match of A against B from random openings, each played twice with sides
swapped, and gives A's score and Elo difference with 95 % intervals.

Openings differ. Without --openings they have 2 random actions, or as many more
as it takes to have one for each pair of --games. The match ends when the game
has no new opening, because players without luck would repeat their games. If a
player has luck (random, greedy, mcts, #random, a time for a move, a program),
the openings are played again instead, and a game that repeats an earlier one
counts once in score and Elo.

A player is

  random           any legal action
  greedy           what looks best at once
  mcts:SIMS        search with random playouts
  alphabeta:DEPTH, alphabeta@30ms, alphabeta@20000n
                   the yardstick: a classical search to a depth, or deeper and
                   deeper until the time or the number of positions is used
                   up; by depth and positions it plays the same on every machine
  uniform:SIMS     the model's search with a network that has no opinion
  MODEL, MODEL:SIMS, MODEL@50ms
                   a checkpoint, or the best model of a run; it plays in 8 bits,
                   and MODEL#float32 in floats; MODEL#tables knows the endings
                   of a game that has tables of them (` + tabledGames() + `), which takes
                   a second before its first move of a game, beside its time;
                   MODEL#visits plays the most visited move, and not the one
                   with the best lower bound of its value; MODEL#tree has a
                   node for each way to a position in place of one;
                   MODEL#random=0.3 plays three of ten moves at random, as
                   weak levels of the pages do; MODEL#cpuct=2 has
                   another constant of the search (also cpuct_base,
                   fpu_reduction and prior_temperature); several may follow
                   each other. The name of a file or folder is never split:
                   if runs/x:64 exists, it is the MODEL
  box, box:SIMS, box@50ms
                   the bot in the box of the game; box:onitama is a MODEL
  cmd:PROGRAM      a program that answers a position line with an action line;
                   arguments may follow, and what has blanks stands in quotes:
                   cmd:'./my bot' --name "a b"
  cmd:codingame:PROGRAM
                   one that speaks a protocol of the game, started for each game

With --listen, workers ("dojo worker") play too: the result is the same. Players
that go by the clock, and programs, would not play the same elsewhere.

With --sprt 0,10, the match ends as soon as it is clear whether A is stronger by
0 or by 10 Elo, with error rates of 5 % (a sequential test on pairs, as the
testing frameworks of chess programs have it), at the latest after --games. Its
score then overstates by how much.

With --log FILE, the games are kept in a file, a line a pair, as "dojo evaluate
--ladder" keeps and rates them. After an interrupt or a crash the same command
goes on with them, and only the pairs that were being played are lost. An
interrupted match prints the result of the games so far, in JSON with
"interrupted":true.

With --clock, a program that takes longer for an answer, gives none or an
illegal one loses the game; without, that ends the match.

With --balanced 0.15, openings are left out for which the bot in the box, after
5,000 simulations, expects a result more than 0.15 away from a draw, a win being
1. From lopsided openings a seat wins whoever plays it, so that both games of a
pair cancel out and the better player gains little.`,
		Example: `  dojo match runs/onitama-quick mcts:1000 --games 100
  dojo match runs/a/models/000010.safetensors:64 runs/b:64 --json
  dojo match alphabeta@30ms alphabeta:5 --game onitama --log games.jsonl
  dojo match box:onitama#cpuct=2 box:onitama --sprt 0,10 --games 40000
  dojo match box:6400 box:100 --game oanquan --openings 6 --balanced 0.15
  dojo match cmd:codingame:./bot runs/onitama-quick@42ms --clock 50ms --first-clock 1s`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runMatch(cmd.Context(), args, &opt) },
	})
	cmd.Flags().StringVar(&opt.game, "game", "", "the game, if no player is a model")
	offer(cmd, "game", aGame)
	cmd.Flags().Float32Var(&opt.balanced, "balanced", 0, "leave out openings whose `value` for the bot in the box is further than this from 0 (0: none)")
	flags.Time(cmd.Flags(), &opt.clock.Turn, "clock", 0, "time of a program for an answer, such as 50ms")
	flags.Time(cmd.Flags(), &opt.clock.First, "first-clock", 0, "time for its first one, starting included (what the protocol gives, else as --clock)")
	cmd.Flags().StringVar(&opt.log, "log", "", "the `file` that keeps the games; the same command goes on with it")
	cmd.Flags().Float64SliceVar(&opt.sprt, "sprt", nil, "end when a test of `ELO0,ELO1` is decided")
	opt.flags(cmd, 100, 100)
	opt.cluster.register(cmd)
	flags.Exclude(cmd, "balanced", "listen", "nats")
	a.jsonFlag(cmd)
	return cmd
}

// runMatch plays the match between the two players that args name.
func (a *app) runMatch(ctx context.Context, args []string, opt *matchCommandOptions) (err error) {
	if err := cmp.Or(noHuman("match", opt.game, args...), opt.cluster.portable(args...)); err != nil {
		return err
	}
	if opt.clock.First > 0 && opt.clock.Turn == 0 {
		return usagef("--first-clock needs --clock for the answers after the first")
	}
	if opt.clock.Turn > 0 && !slices.ContainsFunc(args, arena.IsProgram) {
		return usagef("--clock is for programs, and neither %s nor %s is one (cmd:PROGRAM)", args[0], args[1])
	}
	if b := opt.balanced; !(b >= 0 && b <= 1) {
		return usagef("--balanced %v is not between 0 and 1", b)
	}
	if s := opt.sprt; len(s) != 0 && (len(s) != 2 || !(s[1] > s[0]) || math.IsInf(s[1]-s[0], 0)) {
		return usagef("--sprt: two numbers of Elo are wanted, the larger one last, such as 0,10")
	}
	game, err := gameOf(opt.game, args...)
	if err != nil {
		return err
	}
	match, env := &opt.Options, box.Env(game, opt.simulations, &opt.clock)
	match.Game = game.Game.Game
	for i, c := range []*arena.Contestant{&match.A, &match.B} {
		if *c, err = arena.Parse(args[i], env); err != nil {
			return err
		}
	}
	if opt.balanced > 0 {
		const visits = 5000 // a hundredth of a second
		var judge think.Options
		c, err := box.Load(game.Name)
		if err == nil {
			judge, err = think.Model(c, model.Best)
		}
		if err != nil {
			return fmt.Errorf("--balanced: %w", err)
		}
		match.Balanced = arena.Balanced(game.Game, judge, visits, opt.balanced)
	}
	if opt.sprt != nil {
		match.Test = &arena.SPRT{Elo0: opt.sprt[0], Elo1: opt.sprt[1]}
	}
	if opt.log != "" {
		if match.Log, err = measure.OpenLog(game.Name, opt.log); err != nil {
			return err
		}
	}
	if err := measure.ChooseOpenings(ctx, a.stderr, match); err != nil {
		return err
	}
	leave, err := opt.cluster.helped(ctx, a, match)
	if err != nil {
		return err
	}
	result, err := measure.Match(ctx, a.stderr, *match)
	leave(err == nil)
	stopped := ctx.Err() != nil && err != nil
	if stopped {
		err = keptGames(err, "log", opt.log)
	} else if err != nil {
		return err
	}
	return a.print(measure.MatchReport(*match, result, &opt.clock, stopped), err)
}

// keptGames adds to the error of interrupted matches where their games are, and how to go on. flag
// is the name of the flag for the file of the games.
func keptGames(err error, flag, file string) error {
	if file == "" {
		return fmt.Errorf("%w; with --%s FILE the same command would go on", err, flag)
	}
	return fmt.Errorf("%w; %s has the games so far, and the same command goes on", err, file)
}
