package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"dojo/analysis"
	"dojo/engine"
	"dojo/games"
	"dojo/internal/console"

	"github.com/spf13/cobra"
)

func (a *app) rulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "The games: list them, show a position, count nodes",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.rulesListCommand(), a.rulesShowCommand(), a.perftCommand())
	return cmd
}

func (a *app) rulesListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "The games and their sizes",
		Example: "  dojo rules list",
		RunE: func(*cobra.Command, []string) error {
			table := console.NewTable("game", "version", "actions", "planes", "most plies", "protocols")
			for _, g := range games.All {
				protocols := []string{}
				for _, p := range g.AllProtocols() {
					protocols = append(protocols, p.Name)
				}
				shape := g.Planes
				table.Row(g.Name, g.Version, g.Actions, fmt.Sprintf("%d×%d×%d", shape.H, shape.W, shape.C),
					g.MaxPlies, strings.Join(protocols, ", "))
				if !asJSON {
					continue
				}
				if err := a.printJSON(map[string]any{
					"game": g.Name, "version": g.Version, "actions": g.Actions,
					"planes":    [3]int{shape.H, shape.W, shape.C},
					"max_plies": g.MaxPlies, "protocols": protocols,
				}); err != nil {
					return err
				}
			}
			if !asJSON {
				fmt.Fprintln(a.stdout, table)
			}
			return nil
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (a *app) rulesShowCommand() *cobra.Command {
	var asJSON bool
	var seed uint64
	cmd := &cobra.Command{
		Use:   "show GAME [POSITION [ACTION…]]",
		Short: "A position, or what it becomes when actions are played",
		Long: `Shows POSITION after the ACTIONs. POSITION is a line in the game's notation;
"start", what self-play deals from --seed; or "usual", from where people begin,
which is also what is shown without one.`,
		Example: `  dojo rules show onitama
  dojo rules show onitama "bbBbb/...../...../...../wwWww 0 8,6 0,12 9" "6 C1C2" --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			position := append(args[1:], defaultPosition(cmd))[0]
			if err := seedDeals(cmd, position); err != nil {
				return err
			}
			game, err := gameNamed(args[0])
			if err != nil {
				return err
			}
			p, err := readPosition(game, position, seed)
			if err != nil {
				return err
			}
			for i, text := range args[min(2, len(args)):] {
				if p, err = playAction(p, text); err != nil {
					return fmt.Errorf("action %d: %w", i+1, err)
				}
			}
			if asJSON {
				return a.printJSON(analysis.Describe(game.Name, p))
			}
			return a.showPosition(p)
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the deal")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// showPosition draws a position for people.
func (a *app) showPosition(p engine.Position) error {
	var b strings.Builder
	b.WriteString(analysis.Drawing(p))
	fmt.Fprintf(&b, "\n%s\n", p)
	if p.Outcome() != engine.Ongoing {
		fmt.Fprintf(&b, "over: %s\n", analysis.Outcome(p.Outcome()))
	} else {
		const most = 60 // hundreds help nobody
		names, more := analysis.Legal(p), ""
		if n := len(names); n > most {
			names, more = names[:most], fmt.Sprintf("and %d more (all with --json)", n-most)
		}
		b.WriteString(console.Wrapped(p.ToMove().String()+" to move:", names, more) + "\n")
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}

// Words that stand for a position where one is wanted.
const (
	startPosition = "start" // what self-play deals from the seed
	usualPosition = "usual" // from where people begin; see engine.Game
)

// defaultPosition returns the word for the position of a command that names none: a
// --seed asks for what it deals.
func defaultPosition(cmd *cobra.Command) string {
	if cmd.Flags().Changed("seed") {
		return startPosition
	}
	return usualPosition
}

// seedDeals refuses a --seed that would deal nothing.
func seedDeals(cmd *cobra.Command, position string) error {
	if cmd.Flags().Changed("seed") && position != startPosition && position != usualPosition {
		return usagef("--seed deals, and %q is dealt already", position)
	}
	return nil
}

// readPosition reads a position line, or one of the words for a position.
func readPosition(game games.Entry, text string, seed uint64) (engine.Position, error) {
	switch text {
	case startPosition:
		return game.Start(rand.New(rand.NewPCG(seed, 0))), nil
	case usualPosition:
		return game.FirstPosition(rand.New(rand.NewPCG(seed, 0))), nil
	}
	return game.Parse(text)
}

// playAction plays the legal action that is named text.
func playAction(p engine.Position, text string) (engine.Position, error) {
	if p.Outcome() != engine.Ongoing {
		return nil, fmt.Errorf("%q cannot be played: the game is over in %q (%s)", text, p, analysis.Outcome(p.Outcome()))
	}
	action, err := engine.ParseAction(p, text)
	if err != nil {
		return nil, err
	}
	return p.Play(action), nil
}

func (a *app) perftCommand() *cobra.Command {
	var asJSON bool
	var seed uint64
	cmd := &cobra.Command{
		Use:   "perft GAME POSITION DEPTH",
		Short: "Count the ways to play DEPTH actions from a position",
		Example: `  dojo rules perft tictactoe start 9
  dojo rules perft onitama "bbBbb/...../...../...../wwWww 0 8,6 0,12 9" 4 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := seedDeals(cmd, args[1]); err != nil {
				return err
			}
			depth, err := strconv.Atoi(args[2])
			if err != nil || depth < 0 {
				return usagef("depth %q is not a number from 0", args[2])
			}
			game, err := gameNamed(args[0])
			if err != nil {
				return err
			}
			p, err := readPosition(game, args[1], seed)
			if err != nil {
				return err
			}
			nodes, err := perft(cmd.Context(), p, depth)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(map[string]int{"nodes": nodes})
			}
			_, err = fmt.Fprintln(a.stdout, nodes)
			return err
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the deal")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// perft is [engine.Perft] for a position whose state type is forgotten. It
// does not play the last ply, only counts it.
func perft(ctx context.Context, p engine.Position, depth int) (int, error) {
	switch {
	case depth == 0:
		return 1, nil
	case p.Outcome() != engine.Ongoing:
		return 0, nil
	}
	legal := p.Legal(make([]engine.Action, 0, 64))
	if depth == 1 {
		return len(legal), nil
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	nodes := 0
	for _, action := range legal {
		n, err := perft(ctx, p.Play(action), depth-1)
		if err != nil {
			return 0, err
		}
		nodes += n
	}
	return nodes, nil
}
