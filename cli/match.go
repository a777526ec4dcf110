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

// mostSimulations is the largest number of simulations that a search may have.
const mostSimulations = arena.MostSimulations

// matchOptions holds the flags that all verbs that play matches share.
type matchOptions struct {
	arena.Options
	simulations int // number of simulations for models whose names specify none
	cluster     clusterFlags
}

func (o *matchOptions) flags(cmd *cobra.Command, games, simulations int) {
	flags.Games(cmd.Flags(), &o.Games, games, 2, "number of games of a match; even, because each opening is played twice with sides swapped")
	flags.IntOr(cmd.Flags(), &o.OpeningPlies, "openings", arena.ChoosePlies, 0, math.MaxInt,
		fmt.Sprintf("%d, or more if a game has too few openings", arena.UsualPlies), "number of random actions that open each game")
	flags.Int(cmd.Flags(), &o.simulations, "simulations", simulations, 1, mostSimulations, "root visits per search of a model whose name sets no budget (as MODEL:SIMS and MODEL@50ms do)")
	flags.Workers(cmd.Flags(), &o.Workers, "games to play at a time (default: one per core)")
	flags.Memory(cmd.Flags(), memory.Half)
	flags.Seed(cmd.Flags(), &o.Seed, 1, "seed of deals, openings and players")
}

// matchCommandOptions holds the flags of match.
type matchCommandOptions struct {
	matchOptions
	game     string // game to play; "" for the game of the first model
	sprt     []float64
	balanced float32
	clock    arena.Clock
	log      string // path of the match log, or ""
}

func (a *app) matchCommand() *cobra.Command {
	var opt matchCommandOptions
	cmd := arguments{{name: "A", offer: aPlayer}, {name: "B", offer: aPlayer}}.of(&cobra.Command{
		Use:   "match",
		Short: "Play a match between two players",
		Long: `Play a match between the players A and B, and print A's score and Elo difference
with 95 % intervals. The games begin with random openings. Each opening is
played twice, with sides swapped.

A player is one of

  random           plays any legal action
  greedy           plays the action that looks best one ply ahead
  mcts:SIMS, mcts@100ms
                   searches with random playouts (games of random actions)
  alphabeta:DEPTH, alphabeta@30ms, alphabeta@20000n
                   classical search to a depth, or deeper and deeper until a
                   time or a number of positions is used up; with a depth or a
                   number of positions it plays the same on every machine
  uniform:SIMS     the search of a model, with equal priors and values of 0
  MODEL, MODEL:SIMS, MODEL@50ms
                   a checkpoint, or the best model of a run; options below
  box, box:SIMS, box@50ms
                   the built-in bot of the game; box:GAME is also a MODEL
  cmd:PROGRAM      a program that answers each line with a position by a line
                   with an action; arguments may follow, and words with blanks
                   need quotes: cmd:'./my bot' --name "a b"
  cmd:codingame:PROGRAM
                   a program that speaks this protocol of the game; it is
                   started again for each game
  cmd:gtp:PROGRAM  a program that speaks the Go Text Protocol (` + gtpGames() + `)

Options may follow the name of a MODEL, one after another:

  #float32         computes in floats instead of 8 bits
  #tables          knows the endings of a game that has tables of them
                   (` + tabledGames() + `); it needs an extra second before its first move
  #visits          plays the most visited move, instead of the one with the best
                   lower bound of its value
  #tree            searches a tree, in which a position has a node for each way
                   to it, instead of a graph
  #random=0.3      plays 30 % of its moves at random, like the weak levels of
                   the pages
  #cpuct=2         changes a constant of the search; also #cpuct_base,
                   #fpu_reduction and #prior_temperature

The name of an existing file or folder is never split: if runs/x:64 exists, it
is the MODEL.

Openings: without --openings, an opening has 2 random actions, or as many as are
needed for a different opening in each pair of --games. If there are no more new
openings, the match ends, because deterministic players would repeat their
games. If a player is not deterministic (random, greedy, mcts, #random, a time
limit, a program), the openings are used again instead. A game that repeats an
earlier one then counts only once in score and Elo.

--listen lets workers ("dojo worker") play games too. This does not change the
result. It needs players that play the same on every machine, so programs and
players with a time limit are not allowed.

--sprt 0,10 ends the match as soon as it is clear whether A is stronger by 0 or
by 10 Elo, with error rates of 5 %, and at the latest after --games. This is a
sequential test on pairs of games, as used for chess programs. The score of a
match that was ended early exaggerates the difference.

--log FILE keeps the games in a file, one line per pair. "dojo evaluate" with
--ladder can read and rate them. After an interrupt or a crash, the same command
continues the match; only unfinished pairs are lost. An interrupted match prints
the result of the games so far, in JSON with "interrupted":true.

--clock sets the time in which a program must answer. A program that answers
late, illegally or not at all then loses the game. Without --clock, no answer or
an illegal one ends the match with an error.

--balanced 0.15 leaves out lopsided openings: those with a value further than
0.15 from 0 (a draw), by a search of 5,000 simulations with the built-in bot.
In a lopsided opening the same side wins both games of a pair, so the better
player gains little.`,
		Example: `  dojo match runs/onitama-quick mcts:1000 --games 100
  dojo match runs/a/models/000010.safetensors:64 runs/b:64 --json
  dojo match alphabeta@30ms alphabeta:5 --game onitama --log games.jsonl
  dojo match box:onitama#cpuct=2 box:onitama --sprt 0,10 --games 40000
  dojo match box:6400 box:100 --game oanquan --openings 6 --balanced 0.15
  dojo match cmd:codingame:./bot runs/onitama-quick@42ms --clock 50ms --first-clock 1s
  dojo match alphabeta@30ms cmd:gtp:'/usr/games/gtp-rhino --level=1' --game othello`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.runMatch(cmd.Context(), args, &opt) },
	})
	cmd.Flags().StringVar(&opt.game, "game", "", "the game; needed if no player is a model")
	offer(cmd, "game", aGame)
	cmd.Flags().Float32Var(&opt.balanced, "balanced", 0, "leave out openings whose `value`, by the built-in bot, is further than this from 0 (default: keep all)")
	flags.Time(cmd.Flags(), &opt.clock.Turn, "clock", 0, "time in which a program must answer, e.g. 50ms")
	flags.Time(cmd.Flags(), &opt.clock.First, "first-clock", 0, "time for a program's start and first answer (default: the protocol's, or else --clock)")
	cmd.Flags().StringVar(&opt.log, "log", "", "keep the games in this `file`; the same command continues them")
	cmd.Flags().Float64SliceVar(&opt.sprt, "sprt", nil, "end the match when a sequential test of `ELO0,ELO1` is decided")
	opt.flags(cmd, 100, 100)
	opt.cluster.register(cmd)
	flags.Exclude(cmd, "balanced", "listen", "nats")
	a.jsonFlag(cmd)
	return cmd
}

// runMatch plays a match between the two players named in args.
func (a *app) runMatch(ctx context.Context, args []string, opt *matchCommandOptions) (err error) {
	if err := cmp.Or(noHuman("match", opt.game, args...), opt.cluster.portable(args...)); err != nil {
		return err
	}
	if opt.clock.First > 0 && opt.clock.Turn == 0 {
		return usagef("--first-clock needs --clock, the time for all later answers")
	}
	if opt.clock.Turn > 0 && !slices.ContainsFunc(args, arena.IsProgram) {
		return usagef("--clock needs a program as a player (cmd:PROGRAM); neither %s nor %s is one", args[0], args[1])
	}
	if b := opt.balanced; !(b >= 0 && b <= 1) {
		return usagef("--balanced %v is not between 0 and 1", b)
	}
	if s := opt.sprt; len(s) != 0 && (len(s) != 2 || !(s[1] > s[0]) || math.IsInf(s[1]-s[0], 0)) {
		return usagef("--sprt needs two Elo differences, the larger one last, e.g. 0,10")
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
		const visits = 5000 // visits per search to evaluate an opening, about 10 ms
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

// keptGames adds to err, the error of an interrupted match, which file has the games so far and how
// to continue the match. file is "" if the games were not written to a file. flag is the name of
// the command-line flag for that file.
func keptGames(err error, flag, file string) error {
	if file == "" {
		return fmt.Errorf("%w; the games are not kept; with --%s FILE, the same command could continue", err, flag)
	}
	return fmt.Errorf("%w; the games so far are in %s, and the same command continues", err, file)
}
