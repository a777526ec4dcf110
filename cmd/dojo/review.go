package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dojo/analysis"
	"dojo/engine"
	"dojo/internal/regular"
	"dojo/play"
	"dojo/think"

	"github.com/spf13/cobra"
)

func (a *app) reviewCommand() *cobra.Command {
	var opt analyseOptions
	cmd := &cobra.Command{
		Use:   "review RECORD [MODEL]",
		Short: "The mistakes of a game",
		Long: `Reads a game as "dojo play" saves it, searches each of its positions, and prints
its actions, the bad ones marked. The loss of an action is the value of the best
one less that of the position after it, for the player who moved: from 0.1 on it
is an inaccuracy (?!), from 0.2 on a mistake (?), from 0.3 on a blunder (??).
Other values are those of the first player, from -1 to 1. A loss with an
exclamation mark is exact, for it is proven how the game would end; a loss of 2
is a win thrown away. Without MODEL the bot in the box of the record's game
searches.`,
		Example: `  dojo review game.txt runs/onitama-quick
  dojo review game.txt runs/onitama-quick --simulations 5000 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := opt.budget()
			if err != nil {
				return err
			}
			return a.review(cmd.Context(), args[0], args[1:], b, opt)
		},
	}
	opt.flags(cmd)
	return cmd
}

// review reviews the game in a file.
func (a *app) review(ctx context.Context, path string, named []string, b think.Budget, opt analyseOptions) error {
	text, err := regular.Read(path, longestGame)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	name := opt.game
	if name == "" {
		name = play.GameOf(string(text))
	}
	if name == "" && len(named) == 0 {
		return usagef("record %s does not name its game: a MODEL is missing, or --game", path)
	}
	c, game, err := a.modelFor(named, name)
	if err != nil {
		return err
	}
	record, err := play.Read(game.Game.Game, string(text))
	if err == nil && len(record.Actions) == 0 {
		err = errors.New("nothing is played in it")
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", path, err)
	}
	x, err := newAnalyser(c, game, analysis.Options{Workers: opt.workers})
	if err != nil {
		return err
	}
	show := func(r analysis.Reviewed) error { return a.printJSON(r) }
	var table reviewTable
	if !opt.json {
		table = newReviewTable(record)
		fmt.Fprintf(a.stdout, "%s, %d actions, reviewed by model %s\n%s\n", game.Name, len(record.Actions), c.Name, table.header())
		show = func(r analysis.Reviewed) error {
			_, err := fmt.Fprintln(a.stdout, table.line(r))
			return err
		}
	}
	progress := a.newBar(len(record.Actions), "reviewing")
	err = while(ctx, x, func() error {
		return x.Review(ctx, record.Positions, record.Actions, b, func(r analysis.Reviewed) error {
			progress.clear()
			defer progress.set(r.Ply, "")
			return show(r)
		})
	})
	progress.clear()
	if err == nil && !opt.json {
		_, err = fmt.Fprint(a.stdout, table.summary())
	}
	return err
}

// reviewTable is a review for people, on lines that fit 80 columns.
type reviewTable struct {
	width int // of an action's name
	sides map[string]*tally
}

// tally counts what one player did.
type tally struct {
	actions int
	loss    float32
	marks   map[analysis.Mark]int
}

func newReviewTable(g play.Game) reviewTable {
	t := reviewTable{width: len("action"), sides: map[string]*tally{}}
	for i, p := range g.Positions {
		t.sides[p.ToMove().String()] = &tally{marks: map[analysis.Mark]int{}}
		if i < len(g.Actions) {
			t.width = max(t.width, len(p.ActionString(g.Actions[i])))
		}
	}
	return t
}

const reviewLine = "%4v  %-6s  %-*s  %6s  %-2s %6s  "

func (t reviewTable) header() string {
	return fmt.Sprintf(reviewLine, "", "player", t.width, "action", "value", "", "loss") + "better"
}

// line shows an action, and where it is marked what was better.
func (t reviewTable) line(r analysis.Reviewed) string {
	side := t.sides[r.Player]
	side.actions++
	side.loss += r.Loss
	side.marks[r.Mark]++
	loss, better := "", ""
	if r.Mark != "" {
		loss, better = fmt.Sprintf("%.2f", r.Loss), strings.Join(r.Line, ", ")
		if r.Exact {
			loss += "!"
		}
	}
	text := fmt.Sprintf(reviewLine, r.Ply, r.Player, t.width, r.Move, fmt.Sprintf("%+.2f", r.Value), r.Mark, loss)
	return filled(text, better)
}

// summary counts the marks of both players.
func (t reviewTable) summary() string {
	var b strings.Builder
	b.WriteByte('\n')
	for _, p := range []engine.Player{engine.First, engine.Second} {
		side := t.sides[p.String()]
		if side == nil || side.actions == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-6s  ?? %d, ? %d, ?! %d in %d actions; mean loss %.3f\n",
			p, side.marks["??"], side.marks["?"], side.marks["?!"], side.actions, side.loss/float32(side.actions))
	}
	return b.String()
}
