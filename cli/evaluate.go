package cli

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"path/filepath"

	"dojo.example/arena"
	"dojo.example/cli/measure"
	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/games/box"
	"dojo.example/internal/flags"
	"dojo.example/model"
	"dojo.example/search/think"

	"github.com/spf13/cobra"
)

// evaluateOptions holds the flags of evaluate.
type evaluateOptions struct {
	matchOptions
	against     []string
	generations int
	ladder      string        // path of the match log
	player      string        // player to evaluate instead of a model
	game        string        // game to play, unless player is a model
	solved      string        // file of positions with known values
	time        time.Duration // thinking time per solved position, instead of simulations
}

func (a *app) evaluateCommand() *cobra.Command {
	var opt evaluateOptions
	measured := arguments{a.modelArgument("MODEL|RUN")}
	cmd := measured.of(&cobra.Command{
		Use:   "evaluate",
		Short: "Measure how strong a model or a run is",
		Long: `Measure how strong a model is: a checkpoint, or the best model of a run. The
model plays a match against each of several opponents. The result is a win rate
and an Elo difference for each, with 95 % intervals. "dojo match --help" lists
the possible players and describes the openings. With --player, any player of
--game is evaluated instead of a model.

Without --against, the opponents are random, greedy, and two lists of stronger
ones: mcts:1000, mcts:10000 and mcts:100000; and alphabeta:3, alphabeta:5,
alphabeta@20000n and alphabeta@200000n. The next opponent of a list is played
only if the model scores 90 % or more against the one before.

With --generations N, the command shows how the strength of a run grew. It takes
N models, evenly spaced over the run. Each plays against the one before it and
against the first one, and all are rated together.

With --ladder FILE, the games are kept in a file, one line per pair of games.
All players in the file are rated together by maximum likelihood; the opponent
of the first match has 0 Elo. Only games that are missing in the file are
played, so an interrupt loses nothing. Without a model, the command shows the
ladder. A model is identified by its content, any other player by its name.

With --solved FILE, the model or player chooses moves in positions with known
values. The command counts how often the choice keeps the value, and how many
wins it throws away, by the result of best play and, if known, its length. It
also counts mistakes (choices that do not keep the value) in all positions,
including those in which no choice can be a mistake. With --generations N, N
models of a run answer. With --simulations 1, a model answers by its policy
only; compare the results of 1, 96 and 1600 simulations to see what the search
adds. Results of a run's models are kept in the run's solved.jsonl, and the
dashboard shows them. "dojo solve" writes such files. In Connect Four, FILE can
also have lines of words, as in Pascal Pons's test positions: the columns that
were played, and the score.

With --listen, workers ("dojo worker") also play games of the matches. This does
not change the results.`,
		Example: `  dojo evaluate runs/onitama-quick
  dojo evaluate runs/onitama-quick --generations 6 --games 200
  dojo evaluate runs/onitama-quick --against alphabeta@30ms,cmd:./a.out --ladder onitama.jsonl
  dojo evaluate --player alphabeta@30ms --game onitama --against mcts:1000 --ladder onitama.jsonl
  dojo evaluate --ladder onitama.jsonl
  dojo evaluate runs/onitama-quick --solved positions.jsonl.gz --simulations 200
  dojo evaluate runs/onitama-quick --solved positions.jsonl.gz --simulations 1 --generations 5
  dojo evaluate --player alphabeta@30ms --game onitama --solved positions.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case opt.player != "" && len(args) > 0:
				return usagef("both --player and %q name the player to evaluate: give only one of them", args[0])
			case opt.player != "" || opt.ladder != "" && len(args) == 0:
				return nil
			}
			return measured.check(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.evaluate(cmd, args, &opt)
			if opt.solved == "" && errors.Is(err, context.Canceled) {
				return keptGames(err, "ladder", opt.ladder)
			}
			return err
		},
	})
	cmd.Flags().StringSliceVar(&opt.against, "against", nil, "the opponents (default: random, greedy and two lists of growing strength)")
	flags.Int(cmd.Flags(), &opt.generations, "generations", 0, 2, math.MaxInt, "compare this many models of a run with each other")
	cmd.Flags().StringVar(&opt.ladder, "ladder", "", "keep the games in this file and rate all its players")
	cmd.Flags().StringVar(&opt.player, "player", "", "evaluate this player of dojo match instead of a model")
	cmd.Flags().StringVar(&opt.game, "game", "", "the game of --player, unless that is a model")
	for _, flag := range []string{"against", "player"} {
		offer(cmd, flag, aPlayer)
	}
	offer(cmd, "game", aGame)
	opt.flags(cmd, 100, 64)
	cmd.Flags().StringVar(&opt.solved, "solved", "", "answer the positions with known values in this file (JSON lines, or lines of words; may end in .gz)")
	flags.Time(cmd.Flags(), &opt.time, "time", 0, "time for each position of --solved, e.g. 30ms, instead of --simulations")
	opt.cluster.register(cmd)
	flags.Exclude(cmd, "time", "simulations")
	flags.Exclude(cmd, "against", "generations", "solved")
	flags.Exclude(cmd, "solved", "games", "openings", "ladder", "listen", "nats") // --solved plays no matches
	flags.Exclude(cmd, "player", "generations", "time")
	a.jsonFlag(cmd)
	return cmd
}

// opponents returns the players of --against, each in its own list, or the usual lists if --against
// is not given.
func (o *evaluateOptions) opponents() (lists [][]string) {
	for _, player := range o.against {
		lists = append(lists, []string{player})
	}
	if lists == nil {
		return measure.Usual
	}
	return lists
}

// check returns an error for wrong values of the flags.
func (o *evaluateOptions) check(cmd *cobra.Command) error {
	players := slices.Clone(o.against)
	if o.player != "" {
		players = append(players, o.player)
	}
	err := cmp.Or(noHuman("evaluate", o.game, players...), o.cluster.portable(players...))
	if o.solved == "" && o.time > 0 {
		err = cmp.Or(err, usagef("--time needs --solved FILE; in matches, name the time with the player: MODEL@30ms"))
	}
	if cmd.Flags().Changed("against") && len(o.against) == 0 {
		err = cmp.Or(err, usagef("--against names no player"))
	}
	if o.game != "" && o.player == "" {
		err = cmp.Or(err, usagef("--game needs --player; for a model, leave --game out"))
	}
	return err
}

// evaluate runs the evaluation that the flags select.
func (a *app) evaluate(cmd *cobra.Command, args []string, opt *evaluateOptions) (err error) {
	if err := opt.check(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	e := measure.Evaluation{Options: opt.Options, Simulations: opt.simulations, Remarks: a.stderr, Each: a.show, File: opt.ladder}
	if opt.ladder != "" && opt.generations == 0 && opt.player == "" && len(args) == 0 && a.carried == nil {
		for _, flag := range []string{"against", "listen", "nats"} {
			if cmd.Flags().Changed(flag) {
				return usagef("--%s needs a MODEL or a --player; without one, the ladder is only shown", flag)
			}
		}
		return e.ShowLog()
	}
	budget := think.Budget{Visits: opt.simulations} // budget of the evaluated model
	if opt.time > 0 {
		budget = think.Budget{Time: opt.time}
	}
	player, folder, err := a.evaluated(&e, args, opt, budget)
	switch {
	case err != nil:
		return err
	case opt.solved != "" && opt.generations > 0:
		return e.SolvedByGenerations(ctx, folder, opt.generations, budget, opt.solved)
	case opt.solved != "":
		return e.Solved(ctx, player, opt.solved, folder)
	}
	leave, err := opt.cluster.helped(ctx, a, &e.Options)
	if err != nil {
		return err
	}
	if opt.generations > 0 {
		err = e.Generations(ctx, folder, opt.generations)
	} else {
		err = e.Opponents(ctx, player, opt.opponents())
	}
	leave(err == nil)
	return err
}

// evaluated sets the game of e, and returns the player to evaluate and the folder of a run. With
// --generations, there is no player, and the run is the one to evaluate. Otherwise it is the run
// whose dashboard shows the player's answers to solved positions; folder is "" if there is no such
// run.
func (a *app) evaluated(e *measure.Evaluation, args []string, opt *evaluateOptions, b think.Budget) (player arena.Contestant, folder rundir.Folder, err error) {
	if opt.generations > 0 {
		if len(args) == 0 {
			return player, "", usagef("--generations needs a RUN: the model that this program carries has no generations")
		}
		frozen, err := configs.Thaw(rundir.Folder(args[0]))
		if err == nil {
			err = e.SetGame(frozen.Config.Game)
		}
		return player, rundir.Folder(args[0]), err
	}
	if opt.player != "" {
		game, err := gameOf(opt.game, opt.player)
		if err == nil {
			err = e.SetGame(game.Name)
		}
		if err == nil {
			player, err = e.Parse(opt.player)
		}
		return player, "", err
	}
	c, game, err := a.modelFor(args, "")
	if err == nil {
		err = e.SetGame(game.Name)
	}
	if err != nil {
		return player, "", err
	}
	player, err = arena.Model(game.Game, playerName(c, args), c, b)
	return player, answersIn(args, c), err
}

// playerName returns the name of the model c for a table of ratings. If args is not empty, args[0]
// is the model's name on the command line; otherwise c is the carried model.
func playerName(c *model.Checkpoint, args []string) string {
	if len(args) == 0 {
		return c.Name
	}
	path, err := box.Path(args[0])
	if err != nil { // a built-in bot has no path
		return args[0]
	}
	return path + strings.TrimPrefix(args[0], box.Base(args[0]))
}

// answersIn returns the run whose dashboard shows the answers of the model named in args to solved
// positions, or "" if there is none. A dashboard shows only models of its own run, without changes
// such as #float32.
func answersIn(args []string, c *model.Checkpoint) rundir.Folder {
	if len(args) == 0 {
		return ""
	}
	path, err := box.Path(args[0])
	if err != nil || box.Base(args[0]) != args[0] {
		return ""
	}
	folder := rundir.Of(path)
	if _, err := folder.Config(); err != nil || filepath.Clean(path) != folder.Model(c.Name) {
		return ""
	}
	return folder
}
