// Package inspect reports the contents of a run's folder, a shard or a checkpoint.
package inspect

import (
	"cmp"
	"fmt"
	"strings"

	"dojo.example/arena"
	"dojo.example/configs"
	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/internal/console"
	"dojo.example/play/terminal"
	"dojo.example/search/think"
	"dojo.example/train"
)

// Run reports on the run in the folder dir: its configuration, its best model and its generations.
func Run(dir string) (r console.Report, err error) {
	folder := rundir.Folder(dir)
	frozen, err := configs.Thaw(folder)
	if err != nil {
		return r, err
	}
	generations, err := train.ReadMetrics(folder)
	if err != nil {
		return r, err
	}
	shards, err := folder.Shards()
	if err != nil {
		return r, err
	}
	config, err := frozen.Config.JSON()
	if err != nil {
		return r, err
	}
	best := ""
	if len(generations) > 0 {
		best = generations[len(generations)-1].Best
	}
	c := frozen.Config
	r.Lines = []any{map[string]any{
		"run": dir, "game": c.Game, "seed": c.Seed, "program": frozen.Program,
		"generations": len(generations), "shards": len(shards), "best": best, "config": config,
	}}
	for _, m := range generations {
		r.Lines = append(r.Lines, m)
	}
	facts := console.Facts{
		{"run", dir},
		{"game", c.Game},
		{"program", frozen.Program},
		{"seed", c.Seed},
		{"network", c.Network.Model().Sizes()},
		{"simulations", c.MCTS.Simulations},
		{"shards", len(shards)},
		{"generations", fmt.Sprintf("%d of %d", len(generations), c.Train.Generations)},
		{"best", best},
	}
	if n := len(generations); n > 0 && generations[n-1].Fit.WindowBytes > 0 {
		fit := generations[n-1].Fit
		facts = append(facts, [2]any{"window", fmt.Sprintf("%d positions in %.1f MB, %d bytes each",
			fit.WindowPositions, float64(fit.WindowBytes)/1e6, fit.WindowBytes/int64(max(1, fit.WindowPositions)))})
	}
	r.Text = facts.String()
	if len(generations) > 0 {
		r.Text += fmt.Sprintf("\n%s\n", generationsTable(generations))
	}
	return r, nil
}

// generationsTable returns a table of a run's generations. The caller must pass at least one.
func generationsTable(generations []train.Metrics) console.Table {
	columns := []any{"gen", "player", "length", "policy", "value", "gate", "Elo", "verdict"}
	// points is true if the game counts points, not only wins.
	points := generations[len(generations)-1].Gate.Margin != (arena.Mean{})
	if points {
		columns = append(columns, "points")
	}
	table := console.NewTable(columns...)
	for _, m := range generations {
		verdict := "kept"
		if m.Gate.Promoted {
			verdict = "promoted"
		}
		row := []any{m.Generation, m.Player, fmt.Sprintf("%.1f", m.GameLength),
			fmt.Sprintf("%.3f", m.Fit.PolicyLoss), fmt.Sprintf("%.3f", m.Fit.ValueLoss),
			console.WonLostDrawn(m.Gate.Wins, m.Gate.Losses, m.Gate.Draws), console.Elo(m.Gate.Elo, m.Gate.EloLow, m.Gate.EloHigh), verdict}
		if points {
			row = append(row, terminal.Margin(m.Gate.Margin))
		}
		table.Row(row...)
	}
	return table
}

// Shard reports on a shard: its origin, its statistics and its first rows, at most count of them.
func Shard(path string, count int) (r console.Report, err error) {
	h, rows, err := data.ReadShard(path, data.Limits{})
	if err != nil {
		return r, err
	}
	s := data.Stats(rows)
	r.Lines = []any{map[string]any{"shard": path, "provenance": h, "stats": s}}
	r.Text = console.Facts{
		{"shard", path},
		{"game", fmt.Sprintf("%s, version %d", h.Game, h.SpecVersion)},
		{"run", fmt.Sprintf("%s, generation %d, shard %d", h.Run, h.Generation, h.Shard)},
		{"seed", h.Seed},
		{"model", h.Model},
		{"program", h.ProgramVersion},
		{"games", s.Games},
		{"positions", fmt.Sprintf("%d, %s of them distinct", s.Positions, console.Percent(float32(s.Distinct)))},
		{"length", fmt.Sprintf("%.1f actions per game", s.MeanLength)},
		{"outcomes", fmt.Sprintf("first %s, second %s, draw %s",
			console.Percent(float32(s.FirstWins)), console.Percent(float32(s.SecondWins)), console.Percent(float32(s.Draws)))},
		{"policy", fmt.Sprintf("entropy %.3f nats", s.PolicyEntropy)},
		{"value", fmt.Sprintf("mean error of the search %.3f", s.ValueError)},
	}.String()
	game, unknown := games.ByName(h.Game)
	r.Ends = unknown
	var texts strings.Builder
	for i, row := range rows[:min(count, len(rows))] {
		r.Lines = append(r.Lines, row)
		if r.Ends != nil {
			continue
		}
		if text, err := terminal.RowText(game.Game.Game, row); err != nil {
			r.Ends = fmt.Errorf("row %d: %w", i, err)
		} else {
			fmt.Fprintf(&texts, "\n%s", text)
		}
	}
	r.Text += texts.String()
	return r, nil
}

// Checkpoint reports on a checkpoint: its origin, its architecture and its number of parameters.
func Checkpoint(path string) (r console.Report, err error) {
	c, err := box.Open(path)
	if err != nil {
		return r, err
	}
	search, err := think.Constants(c.Meta)
	if err != nil {
		return r, err
	}
	parameters := 0
	for _, p := range c.Params() {
		parameters += len(c.Tensors[p.Name])
	}
	r.Lines = []any{map[string]any{
		"checkpoint": path, "game": c.Game, "spec_version": c.SpecVersion, "name": c.Name, "parent": c.Parent, "origin": c.Origin,
		"step": c.Step, "seed": c.Seed, "program": c.ProgramVersion,
		"network": c.Network, "parameters": parameters, "hash": c.Hash(), "players": search.Constants,
	}}
	r.Text = console.Facts{
		{"checkpoint", path},
		{"game", fmt.Sprintf("%s, version %d", c.Game, c.SpecVersion)},
		{"name", strings.TrimSpace(fmt.Sprintf("%s, from %s", c.Name, cmp.Or(c.Parent, "nothing")))},
		{"origin", cmp.Or(c.Origin, "trained on its own games")},
		{"step", c.Step},
		{"seed", c.Seed},
		{"program", c.ProgramVersion},
		{"input", c.Reads()},
		{"network", fmt.Sprintf("%s, %d actions", c.Sizes(), c.Actions)},
		{"parameters", parameters},
		{"hash", c.Hash()},
		{"players", fmt.Sprintf("cpuct %g, base %g, first-play reduction %g, prior temperature %g, final %s",
			search.CPuct, search.CPuctBase, search.FPUReduction, cmp.Or(search.PriorTemperature, 1), search.Final)},
	}.String()
	return r, nil
}
