package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"dojo/arena"
	"dojo/engine/onitama"
	"dojo/export/codingame"
	"dojo/games"
	"dojo/internal/console"
	"dojo/internal/output"
	"dojo/measure"
	"dojo/model"
	"dojo/think"
	"dojo/train"
)

func (a *app) exportCPP(ctx context.Context, c *model.Checkpoint, game games.Entry, opt exportOptions) error {
	return a.exportCodinGame(ctx, codingame.CPP, c, game, opt)
}

func (a *app) exportGo(ctx context.Context, c *model.Checkpoint, game games.Entry, opt exportOptions) error {
	return a.exportCodinGame(ctx, codingame.Go, c, game, opt)
}

// codinGameReport is what an export for CodinGame says.
type codinGameReport struct {
	File  string `json:"file"`
	Units int    `json:"units"` // UTF-16, as CodinGame counts
	*codingame.Report
	Match *arena.Summary `json:"match,omitempty"` // against MODEL, both by the clock
}

// exportCodinGame writes a source file once it is seen to work.
func (a *app) exportCodinGame(ctx context.Context, l codingame.Language, c *model.Checkpoint, game games.Entry, opt exportOptions) error {
	target, err := output.Open(opt.out, opt.replace)
	if err != nil {
		return err
	}
	small, kept, err := a.codinGameStudent(ctx, c, game, opt)
	if err != nil {
		return err
	}
	written, err := codingame.Bot{
		Language: l, Checkpoint: small, Search: think.Constants(small.Meta), Budget: opt.moveTime, Provenance: sourceOrigin(small, opt),
	}.Program()
	if err != nil {
		return err
	}
	report := codinGameReport{File: opt.out, Units: codingame.Units(written.Source)}
	var program string
	if !opt.noVerify {
		dir, err := os.MkdirTemp("", "dojo-export-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		seen, path, err := written.Verify(ctx, dir)
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("%w; %s is not written%s", err, opt.out, kept)
		}
		if err != nil {
			return fmt.Errorf("%s is not written: %w (--no-verify writes it all the same)%s", opt.out, err, kept)
		}
		report.Report, program = &seen, path
	}
	if err := target.WriteText(ctx, written.Source); err != nil {
		return err
	}
	if program != "" && opt.games > 0 {
		if report.Match, err = a.againstModel(ctx, program, c, game, opt); err != nil {
			return err
		}
	}
	if opt.json {
		return a.output(true).PrintJSON(report)
	}
	report.print(a)
	return nil
}

// sourceOrigin says in lines where a source comes from.
func sourceOrigin(c *model.Checkpoint, opt exportOptions) []string {
	lines := origin(c, fmt.Sprintf("%v a turn", opt.moveTime))
	if c.Origin != "" {
		lines = append(lines, c.Origin)
	}
	if opt.noVerify {
		lines = append(lines, "NOT VERIFIED: nobody has compiled or run this file")
	}
	return lines
}

// codinGameStudent is a network that fits CodinGame's limit and clock: the model
// itself, or one that is distilled from it. If it was trained for that, kept says where
// it lies, to be added to an error.
func (a *app) codinGameStudent(ctx context.Context, c *model.Checkpoint, game games.Entry, opt exportOptions) (small *model.Checkpoint, kept string, err error) {
	switch {
	case game.Name != onitama.Classic.Name:
		return c, "", codingame.Check(c)
	case c.Kind == model.Sparse:
		if opt.distil {
			fmt.Fprintf(a.stderr, "model %s is a %s network and is written as it is: --distil has nothing to do\n", c.Name, model.Sparse)
		}
		return c, "", codingame.Check(c)
	case !opt.distil:
		return nil, "", fmt.Errorf("%w: --distil trains a small one to answer as it does", codingame.Check(c))
	}
	small, path, err := a.student(ctx, c, game, opt)
	return small, fmt.Sprintf("; the small network is kept in %s, and the next try begins with it", path), err
}

// student is the small network that answers as c does, and where it is kept. It
// is trained now if its run does not have it yet.
func (a *app) student(ctx context.Context, c *model.Checkpoint, game games.Entry, opt exportOptions) (s *model.Checkpoint, path string, err error) {
	from := samplesOf(opt.samples, opt.model)
	if from.folder == "" {
		return nil, "", fmt.Errorf("model %s lies in no run: name one with --samples, for the positions to learn from, or make a small network with dojo distil", c.Name)
	}
	d := train.DefaultDistillation(model.Sparse)
	network := model.DefaultNetwork()
	network.Kind = model.Sparse
	path = from.folder.Student(c.Hash(), string(model.Sparse))
	d.Network, d.Workers, d.State = network.For(game.Spec), runtime.NumCPU(), path+".partial"
	if s, err := model.Load(path); err == nil && s.Network == d.Network && s.Check(game.Spec) == nil {
		fmt.Fprintf(a.stderr, "%s is there already\n", path)
		return s, path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, "", err
	}
	if s, err = a.distil(ctx, d, c, game, from); err != nil {
		return nil, "", err
	}
	if err := s.Save(path); err != nil {
		return nil, "", a.goesOn(err, d.State)
	}
	fmt.Fprintf(a.stderr, "%s learned from model %s\n", path, c.Name)
	return s, path, forget(d.State)
}

// againstModel plays the program against the model that it was exported from, a core each.
func (a *app) againstModel(ctx context.Context, program string, c *model.Checkpoint, game games.Entry, opt exportOptions) (*arena.Summary, error) {
	// A late answer is the machine's fault here, not the bot's, which was timed.
	maker, err := arena.External(game.Game.Game, "codingame:"+program, nil)
	if err != nil {
		return nil, err
	}
	teacher, err := think.Model(c, model.Best)
	if err != nil {
		return nil, err
	}
	names := [2]string{opt.out, fmt.Sprintf("%s@%v", c.Name, opt.moveTime)}
	makers := [2]arena.Maker{maker, arena.MCTS(game.Game, teacher, think.Budget{Time: opt.moveTime})}
	settings := measure.Settings{Games: opt.games, Openings: 2, Seed: 1, Workers: 1}
	result, err := measure.Match(ctx, a.output(opt.json), settings, measure.Pairing{Game: game, Names: names, Makers: makers})
	if err != nil {
		return nil, err
	}
	line := result.Summary(names[0], names[1])
	return &line, nil
}

func (r codinGameReport) print(a *app) {
	fmt.Fprintf(a.stdout, "%s  %d of %d characters\n", r.File, r.Units, codingame.Limit)
	if r.Report == nil {
		fmt.Fprintln(a.stdout, "not verified")
		return
	}
	grid := [][2]string{
		{"compiled by", r.Compiler},
		{"referee's turns answered", fmt.Sprintf("%d, all legally", r.Turns)},
		{"outputs", fmt.Sprintf("those of the network in 8 bits, bit for bit, in %d positions", r.Exact)},
		{"rounding costs", fmt.Sprintf("value %.4f (at most %.3f), logits %.3f (at most %.2f)", r.ValueError.Mean, r.ValueError.Max, r.LogitError.Mean, r.LogitError.Max)},
		{"slowest of " + fmt.Sprint(r.Timed) + " answers", fmt.Sprintf("%v, all cores at work; a loop alone was paused for %v at most", r.Slowest.Round(10*time.Microsecond), r.Pause.Round(10*time.Microsecond))},
	}
	if m := r.Match; m != nil {
		grid = append(grid, [2]string{"against " + m.B, fmt.Sprintf("Elo %s, %d games", console.Elo(m.Elo, m.EloLow, m.EloHigh), m.Games)})
	}
	for _, row := range grid {
		fmt.Fprintf(a.stdout, "  %-26s%s\n", row[0], strings.TrimSpace(row[1]))
	}
}
