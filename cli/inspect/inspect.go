// Package inspect shows what is in a run's folder, a shard of samples or a checkpoint, for people
// or as JSON.
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

// Run shows a run: its configuration, its best model and its generations.
func Run(o console.Output, dir string) error {
	folder := rundir.Folder(dir)
	frozen, err := configs.Thaw(folder)
	if err != nil {
		return err
	}
	generations, err := train.ReadMetrics(folder)
	if err != nil {
		return err
	}
	shards, err := folder.Shards()
	if err != nil {
		return err
	}
	best := ""
	if len(generations) > 0 {
		best = generations[len(generations)-1].Best
	}
	if o.JSON {
		config, err := frozen.Config.JSON()
		if err != nil {
			return err
		}
		lines := []any{map[string]any{
			"run": dir, "game": frozen.Config.Game, "seed": frozen.Config.Seed, "program": frozen.Program,
			"generations": len(generations), "shards": len(shards), "best": best, "config": config,
		}}
		for _, m := range generations {
			lines = append(lines, m)
		}
		return o.PrintJSON(lines...)
	}
	c := frozen.Config
	pairs := [][2]any{
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
		pairs = append(pairs, [2]any{"window", fmt.Sprintf("%d positions in %.1f MB, %d bytes each",
			fit.WindowPositions, float64(fit.WindowBytes)/1e6, fit.WindowBytes/int64(max(1, fit.WindowPositions)))})
	}
	o.Facts(pairs)
	printGenerations(o, generations)
	return nil
}

// printGenerations is the table of a run's generations.
func printGenerations(o console.Output, generations []train.Metrics) {
	if len(generations) == 0 {
		return
	}
	columns := []any{"gen", "player", "length", "policy", "value", "gate", "Elo", "verdict"}
	points := generations[len(generations)-1].Gate.Margin != (arena.Mean{}) // the game has them
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
	fmt.Fprintln(o.Out)
	fmt.Fprintln(o.Out, table)
}

// Shard shows a shard of samples, its statistics and its first count rows.
func Shard(o console.Output, path string, count int) error {
	h, rows, err := data.ReadShard(path, data.Limits{})
	if err != nil {
		return err
	}
	s := data.Stats(rows)
	shown := rows[:min(count, len(rows))]
	if o.JSON {
		lines := []any{map[string]any{"shard": path, "provenance": h, "stats": s}}
		for _, r := range shown {
			lines = append(lines, r)
		}
		return o.PrintJSON(lines...)
	}
	o.Facts([][2]any{
		{"shard", path},
		{"game", fmt.Sprintf("%s, version %d", h.Game, h.SpecVersion)},
		{"run", fmt.Sprintf("%s, generation %d, shard %d", h.Run, h.Generation, h.Shard)},
		{"seed", h.Seed},
		{"model", h.Model},
		{"program", h.ProgramVersion},
		{"games", s.Games},
		{"positions", fmt.Sprintf("%d, of which %s distinct", s.Positions, console.Percent(float32(s.Distinct)))},
		{"length", fmt.Sprintf("%.1f actions a game", s.MeanLength)},
		{"outcomes", fmt.Sprintf("first %s, second %s, draw %s",
			console.Percent(float32(s.FirstWins)), console.Percent(float32(s.SecondWins)), console.Percent(float32(s.Draws)))},
		{"policy", fmt.Sprintf("entropy %.3f nats", s.PolicyEntropy)},
		{"value", fmt.Sprintf("mean error of the search %.3f", s.ValueError)},
	})
	game, err := games.ByName(h.Game)
	if err != nil {
		return err
	}
	for i, r := range shown {
		text, err := terminal.RowText(game.Game.Game, r)
		if err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		fmt.Fprintf(o.Out, "\n%s", text)
	}
	return nil
}

// Checkpoint shows a checkpoint: where it comes from, its architecture, its parameters.
func Checkpoint(o console.Output, path string) error {
	c, err := box.Open(path)
	if err != nil {
		return err
	}
	search, err := think.Constants(c.Meta)
	if err != nil {
		return err
	}
	parameters := 0
	for _, p := range c.Params() {
		parameters += len(c.Tensors[p.Name])
	}
	if o.JSON {
		return o.PrintJSON(map[string]any{
			"checkpoint": path, "game": c.Game, "spec_version": c.SpecVersion, "name": c.Name, "parent": c.Parent, "origin": c.Origin,
			"step": c.Step, "seed": c.Seed, "program": c.ProgramVersion,
			"network": c.Network, "parameters": parameters, "hash": c.Hash(), "players": search.Constants,
		})
	}
	o.Facts([][2]any{
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
	})
	return nil
}
