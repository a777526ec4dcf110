package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"dojo.example/arena"
	"dojo.example/cli/measure"
	"dojo.example/export/codingame"
	"dojo.example/internal/console"
	"dojo.example/internal/scratch"
	"dojo.example/model"
	"dojo.example/search/think"
)

func (x *exporter) cpp(ctx context.Context) error    { return x.codinGame(ctx, codingame.CPP) }
func (x *exporter) golang(ctx context.Context) error { return x.codinGame(ctx, codingame.Go) }

// codinGameReport is what an export for CodinGame says.
type codinGameReport struct {
	File  string `json:"file"`
	Units int    `json:"units"` // UTF-16, as CodinGame counts
	*codingame.Report
	Match *arena.Summary `json:"match,omitempty"` // against MODEL, with the same time for a move
}

// codinGame writes a source file once it is seen to work.
func (x *exporter) codinGame(ctx context.Context, l codingame.Language) error {
	target, err := x.open(ctx, x.app)
	if err != nil {
		return err
	}
	c := x.checkpoint
	if err := codingame.Check(c); errors.As(err, new(codingame.KindError)) {
		return fmt.Errorf("%w: train a small one to answer as it does: %s", err, command("distil", cmp.Or(x.model, "MODEL"), "-o", "small.safetensors"))
	} else if err != nil {
		return err
	}
	protocol, err := x.entry.Protocol("codingame")
	if err != nil {
		return err
	}
	x.moveTime = cmp.Or(x.moveTime, shareOf(protocol))
	written, err := codingame.Bot{
		Language: l, Checkpoint: c, Search: x.search, Budget: x.moveTime, Provenance: x.sourceOrigin(c),
	}.Program()
	if err != nil {
		return err
	}
	report := codinGameReport{File: x.out}
	if !x.noVerify {
		if written.Source, err = x.verified(ctx, written, &report); errors.Is(err, context.Canceled) {
			return fmt.Errorf("%w; %s is not written", err, x.out)
		} else if err != nil {
			return fmt.Errorf("%s is not written: %w (--no-verify writes it all the same)", x.out, err)
		}
	}
	report.Units = codingame.Units(written.Source)
	if err := target.WriteText(ctx, written.Source); err != nil {
		return err
	}
	return x.found(report.text(), report)
}

// verified returns the source of a program that works, with its warning if there is one, and fills
// in the report. A program that does not work is an error, and so is one that is far too weak.
func (x *exporter) verified(ctx context.Context, p codingame.Program, report *codinGameReport) (source string, err error) {
	dir, remove, err := scratch.Folder("export")
	if err != nil {
		return "", err
	}
	defer remove()
	seen, program, err := p.Verify(ctx, x.entry.Game, dir, x.step)
	if err != nil {
		return "", err
	}
	report.Report = &seen
	if x.games > 0 {
		x.step(fmt.Sprintf("play %d games against the model", x.games))
		if report.Match, err = x.againstModel(ctx, program); err != nil {
			return "", err
		}
		if err := farBelow(report.Match); err != nil {
			return "", err
		}
	}
	return seen.Warn(p.Source), nil
}

// tooWeak is the Elo against its model, at the same time for a move, below which a bot is refused. A
// bot that was verified searches as the model does, and only its speed differs. A bot in C++ has the
// model's speed (docs/BENCHMARKS.md: -17 Elo). One in Go has a quarter of it, and is some 190 Elo
// weaker than C++ (docs/history/operations.md). At -250 a bot has about a sixth of the speed. In 40
// games, only a bot that wins at most one is refused. In 20 games none is: the interval is too wide.
const tooWeak = -250

// farBelow returns an error if the whole interval of a bot's Elo against its model is below tooWeak.
func farBelow(m *arena.Summary) error {
	if m.EloHigh >= tooWeak {
		return nil
	}
	return fmt.Errorf("it is far weaker than its model: Elo %s in %d games at the same time for a move, all of it below %d; with equally many simulations it plays the model's moves, so either it is too slow (look at legal, play and features in the game's part), or its rules differ in positions that no test game had",
		console.Elo(m.Elo, m.EloLow, m.EloHigh), m.Games, tooWeak)
}

// sourceOrigin says in lines where a source comes from.
func (x *exporter) sourceOrigin(c *model.Checkpoint) []string {
	lines := origin(c, x.search, fmt.Sprintf("%v a turn", x.moveTime))
	if c.Origin != "" {
		lines = append(lines, c.Origin)
	}
	if x.noVerify {
		lines = append(lines, "NOT VERIFIED: nobody has compiled or run this file")
	}
	return lines
}

// againstModel plays the program against the model that it was exported from, a core each.
func (x *exporter) againstModel(ctx context.Context, program string) (*arena.Summary, error) {
	// A late answer is the machine's fault here, not the bot's, which was timed.
	bot, err := arena.External(x.entry.Game.Game, "codingame:"+program, nil)
	if err != nil {
		return nil, err
	}
	bot.Player = x.out
	match := arena.Options{Game: x.entry.Game.Game, A: bot, Games: x.games, OpeningPlies: arena.ChoosePlies, Seed: 1, Workers: 1}
	if protocol, err := x.entry.Protocol("codingame"); err == nil && protocol.FromStart {
		match.OpeningPlies = 0
	}
	if match.B, err = arena.Model(x.entry.Game, x.checkpoint.Name, x.checkpoint, think.Budget{Time: x.moveTime}); err != nil {
		return nil, err
	}
	if err := measure.ChooseOpenings(ctx, x.stderr, &match); err != nil {
		return nil, err
	}
	result, err := measure.Match(ctx, x.stderr, match)
	if err != nil {
		return nil, err
	}
	line := result.Summary(match.A.Player, match.B.Player)
	return &line, nil
}

// text is the report for people.
func (r codinGameReport) text() string {
	text := fmt.Sprintf("%s  %d of %d characters\n", r.File, r.Units, codingame.Limit)
	if r.Report == nil {
		return text + "not verified\n"
	}
	grid := r.Facts()
	if m := r.Match; m != nil {
		grid = append(grid, [2]string{"against " + m.B, fmt.Sprintf("Elo %s, %d games", console.Elo(m.Elo, m.EloLow, m.EloHigh), m.Games)})
	}
	for _, row := range grid {
		text += fmt.Sprintf("  %-26s%s\n", row[0], strings.TrimSpace(row[1]))
	}
	return text
}
