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

// evaluateOptions is what the command line tells evaluate.
type evaluateOptions struct {
	matchOptions
	against     []string
	generations int
	ladder      string        // the file of a match log
	player      string        // in place of a model
	game        string        // of the player, if that is not a model
	solved      string        // a file of positions of known value
	time        time.Duration // of a model for each of them, in place of simulations
}

func (a *app) evaluateCommand() *cobra.Command {
	var opt evaluateOptions
	measured := arguments{a.modelArgument("MODEL|RUN")}
	cmd := measured.of(&cobra.Command{
		Use:   "evaluate",
		Short: "How strong is a model, or a whole run",
		Long: `Plays a match of a model (a checkpoint, or the best of a run) against each of
several opponents, players as "dojo match" takes them, and gives win rates and
Elo differences with 95 % intervals. With --player, any player of --game takes
the model's place. Without --against, opponents get stronger until one holds:
the next of mcts:1000, mcts:10000 and mcts:100000, and of alphabeta:3,
alphabeta:5, alphabeta@20000n and alphabeta@200000n, is played after a score of
90 % and more. Openings are those of "dojo match".

With --generations N, N models of a run, evenly spaced, are played against their
neighbours and the first, and rated together: how its strength grew.

--ladder FILE keeps the games in a file, a line a pair, and rates all players in
it together by maximum likelihood; 0 is the opponent of the first match. Matches
that are in the file are not played again, or only as far as games are missing,
and an interrupt loses nothing. Without a model the ladder is shown. A model is
known by its content, other players and programs by their names.

With --solved FILE, the model or player answers positions of known value:
counted are those in which it keeps the value and the wins that it throws away,
by the plies to the end. With --generations N too, so do N models of a run; with
--simulations 1 they answer by the network's policy alone, so that 1, 96 and
1600 say what searches add. What models of a run do is kept in the run's
solved.jsonl, which the dashboard shows.

With --listen, workers ("dojo worker") play games of the matches too: the
results are the same.`,
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
				return usagef("--player names who is measured, and so does %q", args[0])
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
	cmd.Flags().StringSliceVar(&opt.against, "against", nil, "the opponents (random, greedy and those that get stronger)")
	flags.Int(cmd.Flags(), &opt.generations, "generations", 0, 2, math.MaxInt, "compare so many models of a run with each other")
	cmd.Flags().StringVar(&opt.ladder, "ladder", "", "the file that keeps the games, and rates its players")
	cmd.Flags().StringVar(&opt.player, "player", "", "who is evaluated in place of a model, as in dojo match")
	cmd.Flags().StringVar(&opt.game, "game", "", "the game of --player, if it is no model")
	for _, flag := range []string{"against", "player"} {
		offer(cmd, flag, aPlayer)
	}
	offer(cmd, "game", aGame)
	opt.flags(cmd, 100, 64)
	cmd.Flags().StringVar(&opt.solved, "solved", "", "a file of positions of known value (.jsonl or .jsonl.gz)")
	flags.Time(cmd.Flags(), &opt.time, "time", 0, "time of the model for each of them, such as 30ms, in place of --simulations")
	opt.cluster.register(cmd)
	flags.Exclude(cmd, "time", "simulations")
	flags.Exclude(cmd, "against", "generations", "solved")
	flags.Exclude(cmd, "solved", "games", "openings", "ladder", "listen", "nats") // which are of matches
	flags.Exclude(cmd, "player", "generations", "time")
	a.jsonFlag(cmd)
	return cmd
}

// opponents are those of --against, each in a list of its own, or the usual ones.
func (o *evaluateOptions) opponents() (lists [][]string) {
	for _, player := range o.against {
		lists = append(lists, []string{player})
	}
	if lists == nil {
		return measure.Usual
	}
	return lists
}

// check reports values that make no sense.
func (o *evaluateOptions) check(cmd *cobra.Command) error {
	players := slices.Clone(o.against)
	if o.player != "" {
		players = append(players, o.player)
	}
	err := cmp.Or(noHuman("evaluate", o.game, players...), o.cluster.portable(players...))
	if o.solved == "" && o.time > 0 {
		err = cmp.Or(err, usagef("--time is for --solved FILE"))
	}
	if cmd.Flags().Changed("against") && len(o.against) == 0 {
		err = cmp.Or(err, usagef("--against names no player"))
	}
	if o.game != "" && o.player == "" {
		err = cmp.Or(err, usagef("--game is that of --player; a model knows its own"))
	}
	return err
}

// evaluate measures what the flags ask for.
func (a *app) evaluate(cmd *cobra.Command, args []string, opt *evaluateOptions) (err error) {
	if err := opt.check(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	e := measure.Evaluation{Options: opt.Options, Simulations: opt.simulations, Remarks: a.stderr, Each: a.show, File: opt.ladder}
	if opt.ladder != "" && opt.generations == 0 && opt.player == "" && len(args) == 0 && a.carried == nil {
		for _, flag := range []string{"against", "listen", "nats"} {
			if cmd.Flags().Changed(flag) {
				return usagef("--%s is for the matches of a MODEL or a --player", flag)
			}
		}
		return e.ShowLog()
	}
	budget := think.Budget{Visits: opt.simulations} // of the model
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

// evaluated finds the game and the player that is evaluated, and the run whose dashboard shows its
// answers, or whose generations are evaluated.
func (a *app) evaluated(e *measure.Evaluation, args []string, opt *evaluateOptions, b think.Budget) (player arena.Contestant, folder rundir.Folder, err error) {
	if opt.generations > 0 {
		if len(args) == 0 {
			return player, "", usagef("which run? a carried model has no generations")
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

// playerName is what a ladder calls the model that args name, or the carried one.
func playerName(c *model.Checkpoint, args []string) string {
	if len(args) == 0 {
		return c.Name
	}
	path, err := box.Path(args[0])
	if err != nil { // one in the box
		return args[0]
	}
	return path + strings.TrimPrefix(args[0], box.Base(args[0]))
}

// answersIn returns the run whose dashboard shows the answers of the model that args name. It
// is "" for a model outside a run, or one with changes, such as #float32, which dashboards do not show.
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
