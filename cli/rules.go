package cli

import (
	"fmt"
	"strconv"
	"strings"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/console"
	"dojo.example/internal/flags"
	"dojo.example/play"
	"dojo.example/play/analysis"
	"dojo.example/play/terminal"

	"github.com/spf13/cobra"
)

func (a *app) rulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the games, show a position, count nodes",
		Args:  onlyVerbs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.rulesListCommand(), a.rulesShowCommand(), a.perftCommand())
	return cmd
}

func (a *app) rulesListCommand() *cobra.Command {
	cmd := arguments{}.of(&cobra.Command{
		Use:     "list",
		Short:   "List the games and their sizes",
		Example: "  dojo rules list",
		RunE: func(*cobra.Command, []string) error {
			table := console.NewTable("game", "title", "version", "actions", "planes", "most plies", "protocols")
			var lines []any
			for _, g := range games.All {
				protocols, shape := g.ProtocolNames(), g.Planes
				table.Row(g.Name, g.AboutIn("en").Title, g.Version, g.Actions, fmt.Sprintf("%d×%d×%d", shape.H, shape.W, shape.C), g.MaxPlies, strings.Join(protocols, ", "))
				lines = append(lines, map[string]any{
					"game": g.Name, "title": g.Titles(), "version": g.Version, "actions": g.Actions,
					"planes":    [3]int{shape.H, shape.W, shape.C},
					"max_plies": g.MaxPlies, "protocols": protocols,
				})
			}
			return a.show(console.Report{Text: fmt.Sprintln(table), Lines: lines})
		},
	})
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) rulesShowCommand() *cobra.Command {
	var tensors bool
	var seed uint64
	cmd := arguments{
		{name: "GAME", offer: aGame},
		{name: "POSITION", need: optional},
		{name: "ACTION", need: optional, many: true},
	}.of(&cobra.Command{
		Use:   "show",
		Short: "Show a position, before or after some actions",
		Long: `Show POSITION, or the position that the ACTIONs lead to. POSITION is one of

  a line in the game's notation
  start   a start position of self-play, dealt with --seed
  usual   the usual start position; the default

With --tensors, the output also has what networks read: planes, features, and
the legal actions with their features. docs/FORMAT.md describes them.`,
		Example: `  dojo rules show onitama
  dojo rules show onitama --tensors --json
  dojo rules show onitama "bbBbb/...../...../...../wwWww 0 8,6 0,12 9" "6 C1C2" --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			words := args[1:]
			if len(words) == 0 {
				words = []string{defaultPosition(cmd)}
			}
			game, p, err := positionNamed(cmd, args[0], words, seed)
			switch {
			case err != nil:
				return err
			case tensors && !a.json:
				return usagef("--tensors is printed only as JSON: add --json")
			case tensors:
				return a.found("", analysis.DescribeTensors(game.Game.Game, p))
			}
			return a.found(terminal.PositionText(p), analysis.Describe(game.Name, p))
		},
	})
	flags.Seed(cmd.Flags(), &seed, 1, "seed of the deal")
	cmd.Flags().BoolVar(&tensors, "tensors", false, "also print planes, features and actions as networks read them; needs --json")
	a.jsonFlag(cmd)
	return cmd
}

// defaultPosition returns the name of the position to use if the command line gives none: "start"
// if --seed is given, and "usual" otherwise.
func defaultPosition(cmd *cobra.Command) string {
	if cmd.Flags().Changed("seed") {
		return play.Start
	}
	return play.Usual
}

// seedDeals returns an error if --seed is given but does not affect the position.
func seedDeals(cmd *cobra.Command, position string) error {
	if cmd.Flags().Changed("seed") && position != play.Start && position != play.Usual {
		return usagef(`--seed has no effect on the position %q: leave it out, or name the position "start"`, position)
	}
	return nil
}

// positionNamed returns the game and the position given on the command line; see [play.Reach].
func positionNamed(cmd *cobra.Command, name string, words []string, seed uint64) (game games.Entry, p engine.Position, err error) {
	if err = seedDeals(cmd, words[0]); err == nil {
		game, err = gameNamed(name)
	}
	if err == nil {
		p, err = play.Reach(game.Game.Game, words, seed)
	}
	return game, p, err
}

func (a *app) perftCommand() *cobra.Command {
	var seed uint64
	cmd := arguments{{name: "GAME", offer: aGame}, {name: "POSITION"}, {name: "DEPTH"}}.of(&cobra.Command{
		Use:   "perft",
		Short: "Count the ways to play DEPTH actions from a position",
		Example: `  dojo rules perft tictactoe start 9
  dojo rules perft onitama "bbBbb/...../...../...../wwWww 0 8,6 0,12 9" 4 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			depth, err := strconv.Atoi(args[2])
			if err != nil || depth < 0 {
				return usagef("DEPTH %q is not a whole number from 0", args[2])
			}
			game, p, err := positionNamed(cmd, args[0], args[1:2], seed)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			nodes := game.Perft(p, depth, func() bool { return ctx.Err() != nil })
			if err := ctx.Err(); err != nil {
				return err
			}
			return a.found(fmt.Sprintln(nodes), map[string]int{"nodes": nodes})
		},
	})
	flags.Seed(cmd.Flags(), &seed, 1, "seed of the deal")
	a.jsonFlag(cmd)
	return cmd
}
