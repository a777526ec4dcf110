package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/signal"
	"syscall"

	"dojo/arena"
	"dojo/engine"
	"dojo/games"
	"dojo/internal/console"
	"dojo/model"
	"dojo/models"
	"dojo/play"
	"dojo/play/terminal"
	"dojo/think"

	"github.com/spf13/cobra"
)

// human names a side that the user plays.
const human = "human"

// playOptions is what the command line tells play.
type playOptions struct {
	seats       [2]string
	position    string
	seed        uint64
	simulations int
	tables      bool
}

func (a *app) playCommand() *cobra.Command {
	var opt playOptions
	cmd := &cobra.Command{
		Use:   "play GAME [MODEL]",
		Short: "Play in the terminal",
		Long: `Plays a game on the board in the terminal. You are first, and MODEL is second;
without a MODEL it is the bot in the box, and in a game that has none mcts:1000,
a search with random playouts. --first and --second name others: human, or a
player as "dojo match" takes them. MODEL also gives the hints.

Type help at the prompt for what can be typed. On a terminal the arrows bring
back earlier lines, and Tab completes actions and commands. With --tables all
models at the board know the endings.`,
		Example: `  dojo play onitama
  dojo play onitama runs/onitama-quick
  dojo play onitama runs/onitama-quick --first runs/onitama-quick --second human
  dojo play tictactoe --second alphabeta:9`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("seed") {
				opt.seed = rand.Uint64()
			}
			if !cmd.Flags().Changed("position") {
				opt.position = defaultPosition(cmd)
			}
			// Go ends at this signal without giving the terminal back.
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGQUIT)
			defer stop()
			return a.play(ctx, args, opt)
		},
	}
	cmd.Flags().StringVar(&opt.seats[0], "first", human, "who plays first: human or a player")
	cmd.Flags().StringVar(&opt.seats[1], "second", "", "who plays second (MODEL)")
	cmd.Flags().StringVar(&opt.position, "position", "", `where to begin: a position, "start" (a deal of self-play) or "usual" (without --seed usual)`)
	cmd.Flags().Uint64Var(&opt.seed, "seed", 0, "seed of the deal (another each time)")
	cmd.Flags().IntVar(&opt.simulations, "simulations", 400, "root visits of the model's searches")
	tablesFlag(cmd, &opt.tables)
	return cmd
}

// play plays a game at the terminal.
func (a *app) play(ctx context.Context, args []string, opt playOptions) error {
	if err := inRange("--simulations", opt.simulations, 1, mostSimulations); err != nil {
		return err
	}
	game, checkpoint, err := a.playing(args)
	if err != nil {
		return err
	}
	if err := checkTables(game, opt.tables); err != nil {
		return err
	}
	start, err := play.Position(game.Game.Game, opt.position, opt.seed)
	if err != nil {
		return err
	}
	var player think.Options // without a model: random playouts
	if checkpoint != nil {
		if player, err = think.Model(checkpoint, model.Best); err != nil {
			return err
		}
	}
	if opt.tables {
		player = player.WithTables()
	}
	s := &terminal.Session{Game: play.New(game.Game.Game, start), Out: a.stdout}
	seed := opt.seed - 1
	s.Seed = func() uint64 { seed++; return seed }
	s.Deal = func() engine.Position {
		switch opt.position {
		case play.Start:
			return game.Start(rand.New(rand.NewPCG(s.Seed(), 0)))
		case play.Usual:
			return game.FirstPosition(rand.New(rand.NewPCG(s.Seed(), 0)))
		}
		return start
	}
	s.Prompt = console.NewPrompt(ctx, a.stdin, a.stdout, s.Words)
	s.Hints.Thinker, s.Hints.ByModel = think.New(game.Game, player), player.Evaluator != nil
	s.Hints.Budget = think.Budget{Visits: opt.simulations}
	for i, text := range opt.seats {
		if s.Seats[i], err = newSeat(game, text, player, opt); err != nil {
			return err
		}
	}
	return s.Run(ctx)
}

// newSeat finds who is meant by the text of --first and --second. player is the model beside
// the game, which "" means.
func newSeat(game games.Entry, text string, player think.Options, opt playOptions) (terminal.Seat, error) {
	players := env(game, opt.simulations, nil)
	if load := players.Load; opt.tables {
		players.Load = func(path string, precision model.Precision) (think.Options, error) {
			named, err := load(path, precision)
			return named.WithTables(), err
		}
	}
	switch {
	case text == human:
		return terminal.Seat{Name: human}, nil
	case text == "" && player.Evaluator != nil:
		return terminal.Seat{Name: "model", Player: arena.MCTS(game.Game, player, think.Budget{Visits: opt.simulations})()}, nil
	case text == "":
		text = "mcts:1000"
	}
	maker, name, err := arena.Parse(text, players)
	if err != nil {
		return terminal.Seat{}, err
	}
	return terminal.Seat{Name: name, Player: maker()}, nil
}

// playing finds the game to play and the model beside it, if there is one:
// the one named, or the carried one, or the bot in the box of the game.
func (a *app) playing(args []string) (games.Entry, *model.Checkpoint, error) {
	if len(args) == 1 && a.carried == nil && models.Has(args[0]) {
		args = append(args, boxPrefix+args[0])
	}
	if len(args) == 2 || a.carried != nil && (len(args) == 0 || args[0] == a.carried.Game) {
		c, game, err := a.openModel(args[min(1, len(args)):])
		if err == nil && len(args) > 0 && game.Name != args[0] {
			err = fmt.Errorf("model %s plays %s, not %s", args[1], game.Name, args[0])
		}
		return game, c, err
	}
	game, err := gameNamed(args[0])
	return game, nil, err
}
