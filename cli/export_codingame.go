package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"dojo.example/arena"
	"dojo.example/export/codingame"
	"dojo.example/internal/console"
	"dojo.example/measure"
	"dojo.example/model"
	"dojo.example/models"
	"dojo.example/run"
	"dojo.example/think"
	"dojo.example/train"
)

func (x *exporter) cpp(ctx context.Context) error    { return x.codinGame(ctx, codingame.CPP) }
func (x *exporter) golang(ctx context.Context) error { return x.codinGame(ctx, codingame.Go) }

// codinGameReport is what an export for CodinGame says.
type codinGameReport struct {
	File  string `json:"file"`
	Units int    `json:"units"` // UTF-16, as CodinGame counts
	*codingame.Report
	Match *arena.Summary `json:"match,omitempty"` // against MODEL, both by the clock
}

// codinGame writes a source file once it is seen to work.
func (x *exporter) codinGame(ctx context.Context, l codingame.Language) error {
	target, err := x.open(ctx, x.app)
	if err != nil {
		return err
	}
	c, kept, err := x.codinGameNetwork(ctx)
	if err != nil {
		return err
	}
	written, err := codingame.Bot{
		Language: l, Checkpoint: c, Search: think.Constants(c.Meta), Budget: x.moveTime, Provenance: x.sourceOrigin(c),
	}.Program()
	if err != nil {
		return err
	}
	report := codinGameReport{File: x.out, Units: codingame.Units(written.Source)}
	var program string
	if !x.noVerify {
		dir, err := os.MkdirTemp("", "dojo-export-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		seen, path, err := written.Verify(ctx, dir)
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("%w; %s is not written%s", err, x.out, kept)
		}
		if err != nil {
			return fmt.Errorf("%s is not written: %w (--no-verify writes it all the same)%s", x.out, err, kept)
		}
		report.Report, program = &seen, path
		written.Source = seen.Warn(written.Source)
		report.Units = codingame.Units(written.Source)
	}
	if err := target.WriteText(ctx, written.Source); err != nil {
		return err
	}
	if program != "" && x.games > 0 {
		if report.Match, err = x.againstModel(ctx, program); err != nil {
			return err
		}
	}
	if x.json {
		return x.output(true).PrintJSON(report)
	}
	report.print(x.stdout)
	return nil
}

// sourceOrigin says in lines where a source comes from.
func (x *exporter) sourceOrigin(c *model.Checkpoint) []string {
	lines := origin(c, fmt.Sprintf("%v a turn", x.moveTime))
	if c.Origin != "" {
		lines = append(lines, c.Origin)
	}
	if x.noVerify {
		lines = append(lines, "NOT VERIFIED: nobody has compiled or run this file")
	}
	return lines
}

// codinGameNetwork is a network that fits CodinGame's limit and clock: the model itself, or
// with --distil a small one that answers as it does. That one is kept in the model's run, and
// trained now if it is not there yet; kept says where it lies, to be added to an error.
func (x *exporter) codinGameNetwork(ctx context.Context) (c *model.Checkpoint, kept string, err error) {
	c = x.checkpoint
	err = codingame.Check(c)
	switch needed := errors.As(err, new(codingame.KindError)); {
	case needed && !x.distil:
		return nil, "", fmt.Errorf("%w: --distil trains a small one to answer as it does", err)
	case !needed && err == nil && x.distil:
		fmt.Fprintf(x.stderr, "model %s is a %s network and is written as it is: --distil has nothing to do\n", c.Name, c.Kind)
		fallthrough
	case !needed:
		return c, "", err
	}
	from := cmp.Or(run.Folder(x.samples), models.RunOf(x.model))
	if from == "" {
		return nil, "", fmt.Errorf("model %s lies in no run: name one with --samples, for the positions to learn from, or make a small network with dojo distil", c.Name)
	}
	d := train.DefaultDistillation(model.Sparse)
	path := from.Student(c.Hash(), string(d.Network.Kind))
	d.Teacher, d.Game, d.Network, d.Workers, d.State = c, x.entry.Game.Game, d.Network.For(x.entry.Spec), runtime.NumCPU(), path+".partial"
	student, err := x.student(ctx, d, path, from)
	return student, fmt.Sprintf("; the small network is kept in %s, and the next try begins with it", path), err
}

// student reads the result of a distillation from a file, or distils it and writes the file.
func (x *exporter) student(ctx context.Context, d train.Distillation, path string, from run.Folder) (*model.Checkpoint, error) {
	if s, err := model.Load(path); err == nil && s.Network == d.Network && s.Check(d.Game.Spec) == nil {
		fmt.Fprintf(x.stderr, "%s is there already\n", path)
		return s, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	s, err := x.app.distil(ctx, d, from, x.samples != "")
	if err != nil {
		return nil, err
	}
	if err := s.Save(path); err != nil {
		return nil, x.goesOn(err, d.State)
	}
	fmt.Fprintf(x.stderr, "%s learned from model %s\n", path, d.Teacher.Name)
	return s, d.Forget()
}

// againstModel plays the program against the model that it was exported from, a core each.
func (x *exporter) againstModel(ctx context.Context, program string) (*arena.Summary, error) {
	// A late answer is the machine's fault here, not the bot's, which was timed.
	bot, err := arena.External(x.entry.Game.Game, "codingame:"+program, nil)
	if err != nil {
		return nil, err
	}
	bot.Player = x.out
	match := arena.Options{Game: x.entry.Game.Game, A: bot, Games: x.games, OpeningPlies: 2, Seed: 1, Workers: 1}
	if protocol, err := x.entry.Protocol("codingame"); err == nil && protocol.FromStart {
		match.OpeningPlies = 0
	}
	if match.B, err = arena.Model(x.entry.Game, x.checkpoint.Name, x.checkpoint, think.Budget{Time: x.moveTime}); err != nil {
		return nil, err
	}
	result, err := measure.Match(ctx, x.output(x.json), match)
	if err != nil {
		return nil, err
	}
	line := result.Summary(match.A.Player, match.B.Player)
	return &line, nil
}

func (r codinGameReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s  %d of %d characters\n", r.File, r.Units, codingame.Limit)
	if r.Report == nil {
		fmt.Fprintln(w, "not verified")
		return
	}
	grid := r.Facts()
	if m := r.Match; m != nil {
		grid = append(grid, [2]string{"against " + m.B, fmt.Sprintf("Elo %s, %d games", console.Elo(m.Elo, m.EloLow, m.EloHigh), m.Games)})
	}
	for _, row := range grid {
		fmt.Fprintf(w, "  %-26s%s\n", row[0], strings.TrimSpace(row[1]))
	}
}
