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

// codinGameReport is the report on an export for CodinGame.
type codinGameReport struct {
	File  string `json:"file"`
	Units int    `json:"units"` // length in UTF-16 code units, as CodinGame counts
	*codingame.Report
	Match *arena.Summary `json:"match,omitempty"` // the bot against MODEL, with equal time per move
}

// codinGame writes the source file of a bot, after it has verified that the bot works.
func (x *exporter) codinGame(ctx context.Context, l codingame.Language) error {
	target, err := x.open(ctx, x.app)
	if err != nil {
		return err
	}
	c := x.checkpoint
	if err := codingame.Check(c); errors.As(err, new(codingame.KindError)) {
		return fmt.Errorf("%w; train a sparse network to imitate it: %s", err, command("distil", cmp.Or(x.model, "MODEL"), "-o", "small.safetensors"))
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
			return fmt.Errorf("%w; %s was not written", err, x.out)
		} else if err != nil {
			return fmt.Errorf("%s was not written: %w (to write it anyway, use --no-verify)", x.out, err)
		}
	}
	report.Units = codingame.Units(written.Source)
	if err := target.WriteText(ctx, written.Source); err != nil {
		return err
	}
	return x.found(report.text(), report)
}

// verified checks that a program works, and fills in the report. It returns the program's source,
// with a warning in it if its timing could not be verified. If the program does not work or is far
// too weak, it returns an error.
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

// tooWeak is a limit in Elo. A bot is refused if, at equal time per move, it is weaker than its
// model by more than this limit. A verified bot searches as its model does, so only its speed can
// differ. A bot in C++ has the model's speed (docs/BENCHMARKS.md: -17 Elo). A bot in Go has a
// quarter of that speed and is some 190 Elo weaker than one in C++ (docs/history/operations.md). At
// -250 Elo, a bot has about a sixth of the model's speed. After 40 games, a bot is refused only if
// it has won at most one game. After 20 games no bot is refused, because the confidence interval is
// too wide.
const tooWeak = -250

// farBelow returns an error if the confidence interval of the bot's Elo against its model lies
// entirely below tooWeak.
func farBelow(m *arena.Summary) error {
	if m.EloHigh >= tooWeak {
		return nil
	}
	return fmt.Errorf("the bot is far weaker than its model: Elo %s in %d games at equal time per move, certainly below %d; at equal simulations it plays the model's moves, so either it is too slow (check legal, play and features in the game's part), or its rules differ in positions that no test game reached",
		console.Elo(m.Elo, m.EloLow, m.EloHigh), m.Games, tooWeak)
}

// sourceOrigin returns lines that say where a source comes from.
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

// againstModel plays a match of the program against the model that it was exported from.
func (x *exporter) againstModel(ctx context.Context, program string) (*arena.Summary, error) {
	// The bot has no time limit in this match, because its answers have already been timed. If one
	// were late here, the machine would be to blame, not the bot.
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

// text formats the report as text.
func (r codinGameReport) text() string {
	text := fmt.Sprintf("%s  %d of %d characters\n", r.File, r.Units, codingame.Limit)
	if r.Report == nil {
		return text + "not verified (--no-verify)\n"
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
