package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dojo/arena"
	"dojo/engine/onitama"
	"dojo/export/codingame"
	"dojo/games"
	"dojo/internal/output"
	"dojo/internal/version"
	"dojo/model"
	"dojo/run"
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
	Match *arena.Summary `json:"match,omitempty"` // against the full checkpoint, both by the clock
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
	s, err := codingame.NewStudent(small)
	if err != nil {
		return fmt.Errorf("model %s: %w", small.Name, err)
	}
	source, err := codingame.Source(l, s, think.Constants(small.Meta), opt.moveTime, sourceOrigin(small, c, opt))
	if err != nil {
		return err
	}
	report := codinGameReport{File: opt.out, Units: codingame.Units(source)}
	var program string
	if !opt.noVerify {
		dir, err := os.MkdirTemp("", "dojo-export-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		seen, path, err := codingame.Verify(ctx, codingame.Claim{Language: l, Source: source, Student: s, Checkpoint: small}, dir)
		if err != nil {
			return fmt.Errorf("%s is not written: %w (--no-verify writes it all the same)%s", opt.out, err, kept)
		}
		report.Report, program = &seen, path
	}
	if err := target.WriteText(source); err != nil {
		return err
	}
	if small != c && program != "" && opt.games > 0 {
		if report.Match, err = a.againstTeacher(ctx, program, c, game, opt); err != nil {
			return err
		}
	}
	if opt.json {
		return a.printJSON(report)
	}
	report.print(a)
	return nil
}

// sourceOrigin says in lines where a source comes from: a small network, which
// may have learned from the model c.
func sourceOrigin(small, c *model.Checkpoint, opt exportOptions) []string {
	lines := origin(small, fmt.Sprintf("%v a turn", opt.moveTime))
	if small != c {
		lines = append(lines, "distilled from "+origin(c)[0])
	}
	if opt.noVerify {
		lines = append(lines, "NOT VERIFIED: nobody has compiled or run this file")
	}
	return lines
}

// codinGameStudent is a network that fits CodinGame's limit and clock. If it was
// trained for that, kept says where it lies, to be added to an error.
func (a *app) codinGameStudent(ctx context.Context, c *model.Checkpoint, game games.Entry, opt exportOptions) (small *model.Checkpoint, kept string, err error) {
	switch {
	case c.Kind == model.Sparse:
		return nil, "", fmt.Errorf("model %s is a %s network, which is neither written for CodinGame nor distilled", c.Name, model.Sparse)
	case game.Name == onitama.Sparse.Name && opt.distil:
		return nil, "", fmt.Errorf("model %s is a small network already: leave --distil out", c.Name)
	case game.Name == onitama.Sparse.Name:
		return c, "", nil
	case game.Name != onitama.Classic.Name:
		return nil, "", fmt.Errorf("model %s plays %s; on CodinGame there is %s", c.Name, game.Name, onitama.Classic.Name)
	case !opt.distil:
		return nil, "", fmt.Errorf("model %s, %s, is too large and too slow for CodinGame: --distil trains a small one to answer as it does", c.Name, c.Sizes())
	}
	small, path, err := a.student(ctx, c, game, opt)
	return small, fmt.Sprintf("; the small network is kept in %s, and the next try begins with it", path), err
}

// student is the small network that answers as c does, and where it is kept. It
// is trained now if its run does not have it yet.
func (a *app) student(ctx context.Context, c *model.Checkpoint, from games.Entry, opt exportOptions) (s *model.Checkpoint, path string, err error) {
	to, err := games.ByName(onitama.Sparse.Name)
	if err != nil {
		return nil, "", err
	}
	shape := codingame.Shape()
	folder := run.Folder(opt.samples)
	if folder == "" {
		folder = runOf(opt.model)
	}
	if folder == "" {
		return nil, "", fmt.Errorf("model %s lies in no run: name one with --samples, for the positions to learn from", c.Name)
	}
	path = folder.Student(c.Hash(), to.Name)
	if s, err := model.Load(path); err == nil && s.Network == shape && s.Check(to.Spec) == nil {
		fmt.Fprintf(a.stderr, "%s is there already\n", path)
		return s, path, nil
	}
	d := train.DefaultDistillation()
	d.Folder, d.Teacher, d.From, d.To, d.Network, d.Version = folder, c, from.Game, to.Game, shape, version.String()
	var progress *bar
	d.Progress = func(stage string, total int) func(int, string) {
		if progress != nil {
			progress.clear()
		}
		progress = a.newBar(total, stage)
		return progress.set
	}
	s, err = d.Run(ctx)
	if progress != nil {
		progress.clear()
	}
	if err != nil {
		return nil, "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, "", err
	}
	if err := s.Save(path); err != nil {
		return nil, "", err
	}
	fmt.Fprintf(a.stderr, "%s learned from model %s\n", path, c.Name)
	return s, path, nil
}

// againstTeacher plays the program against the full checkpoint, a core each.
func (a *app) againstTeacher(ctx context.Context, program string, c *model.Checkpoint, game games.Entry, opt exportOptions) (*arena.Summary, error) {
	// A late answer is the machine's fault here, not the bot's, which was timed.
	maker, err := arena.External(game.Game, "codingame:"+program, nil)
	if err != nil {
		return nil, err
	}
	teacher, err := think.Model(c, model.Best)
	if err != nil {
		return nil, err
	}
	names := [2]string{opt.out, fmt.Sprintf("%s@%v", c.Name, opt.moveTime)}
	makers := [2]arena.Maker{maker, arena.Search(game.NewSearch, game.Spec, teacher, think.Budget{Time: opt.moveTime})}
	m := matchOptions{games: opt.games, openings: 2, seed: 1, workers: 1}
	result, err := a.match(ctx, game, m, names, makers)
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
		grid = append(grid, [2]string{"against " + m.B, fmt.Sprintf("Elo %s, %d games", elo(m.Elo, m.EloLow, m.EloHigh), m.Games)})
	}
	for _, row := range grid {
		fmt.Fprintf(a.stdout, "  %-26s%s\n", row[0], strings.TrimSpace(row[1]))
	}
}
