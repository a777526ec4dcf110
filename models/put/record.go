package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dojo/arena"
	"dojo/configs"
	"dojo/internal/atomicfile"
	"dojo/model"
	"dojo/run"

	"github.com/goccy/go-yaml"
)

// A record is models/GAME.json: where a model comes from, and how strong it is.
type record struct {
	Game       string `json:"game"`
	Hash       string `json:"hash"`
	Bytes      int    `json:"bytes"`
	Network    string `json:"network"`
	Seed       uint64 `json:"seed"`
	Generation string `json:"generation"`
	Steps      int    `json:"steps"` // of the optimiser
	Program    string `json:"program"`
	Configured bool   `json:"configured"` // GAME.yaml is the configuration of its run

	Matches []match      `json:"matches"`
	Solved  []solved     `json:"solved,omitempty"`
	Curve   []arena.Rung `json:"curve,omitempty"`

	config []byte // of its run
}

// match is how a model did against a player.
type match struct {
	Balanced float64 `json:"balanced,omitempty"` // how far from a draw an opening may be, 0 for any
	arena.Summary
}

// split is the share of pairs of games in which both players got one point of two.
func (m match) split() string {
	all := 0.0
	for _, n := range m.Pairs {
		all += n
	}
	if all == 0 {
		return "–" // the record does not count pairs
	}
	return fmt.Sprintf("%.0f %%", 100*m.Pairs[2]/all)
}

// solved is how a model did on a file of solved positions.
type solved struct {
	File   string `json:"file"`
	Budget string `json:"budget"`
	arena.Tally
}

func newRecord(c *model.Checkpoint, path string, bytes int) record {
	r := record{
		Game: c.Game, Hash: c.Hash(), Bytes: bytes, Network: c.Sizes(), Seed: c.Seed,
		Generation: c.Name, Steps: c.Step, Program: c.ProgramVersion,
	}
	if dir := run.Of(path); dir != "" {
		if frozen, err := configs.Thaw(dir); err == nil {
			r.config, err = yaml.Marshal(frozen.Config)
			r.Configured = err == nil
		}
	}
	return r
}

func (r record) write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(path, append(text, '\n'))
}

// records reads those of all games in the box, by name.
func records(folder string) (all []record, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var r record
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// readme is the text of README.md.
func readme(folder string) ([]byte, error) {
	all, err := records(folder)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(`# The bots in the box

For each game a trained model that is part of the program and plays where none is named: ` + "`dojo play onitama`, `dojo\nmatch box:64 mcts:1000 --game onitama`, `dojo export box:onitama …`" + `. This page is made by ` + "`make box MODEL=RUN`" + `,
which checks and measures a model and puts it into place.

| game | configuration | seed | generation | network | optimiser steps | bytes | hash |
|---|---|---|---|---|---|---|---|
`)
	for _, r := range all {
		config := "–"
		if r.Configured {
			config = fmt.Sprintf("[%s.yaml](%[1]s.yaml)", r.Game)
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %d | %d | `%s` |\n", r.Game, config, r.Seed, r.Generation, r.Network, r.Steps, r.Bytes, r.Hash)
	}
	b.WriteString("\n`dojo train models/GAME.yaml` trains one again. `:64` is 64 simulations a move, `@30ms` 30 ms of one core, two games at a\ntime. Openings are two random actions (where they are balanced six in Ô ăn quan), each played twice with sides swapped; balanced are\nthose that the bot in the box values within 0.15 of a draw (`dojo help match`). Who has the better side of a lopsided opening wins both\nas A and as B: such pairs split and tell nothing. Intervals are of 95 %.\n")
	for _, r := range all {
		r.strength(&b)
	}
	return b.Bytes(), nil
}

// strength writes the tables of a game.
func (r record) strength(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## %s\n\n| player | opponent | openings | games | won, lost, drawn | split pairs | Elo |\n|---|---|---|---|---|---|---|\n", r.Game)
	for _, m := range r.Matches {
		openings := "any"
		if m.Balanced > 0 {
			openings = "balanced"
		}
		fmt.Fprintf(b, "| `%s` | `%s` | %s | %d | %d, %d, %d | %s | %s |\n", m.A, m.B, openings, m.Games, m.Wins, m.Losses, m.Draws, m.split(), elo(m.Elo, m.EloLow, m.EloHigh))
	}
	if len(r.Solved) > 0 {
		b.WriteString("\n| solved positions | budget | positions | value kept | wins | thrown away |\n|---|---|---|---|---|---|\n")
		for _, s := range r.Solved {
			fmt.Fprintf(b, "| %s | %s | %d | %.1f %% | %d | %d |\n", strings.TrimSuffix(s.File, ".gz"), s.Budget, s.Positions, 100*s.Share, s.Wins, s.Thrown)
		}
	}
	if len(r.Curve) > 0 {
		b.WriteString("\n| generation | games | Elo |\n|---|---|---|\n")
		slices.SortFunc(r.Curve, func(x, y arena.Rung) int { return strings.Compare(x.Player, y.Player) })
		for _, g := range r.Curve {
			fmt.Fprintf(b, "| %s | %.0f | %s |\n", g.Player, g.Games, elo(g.Elo, g.EloLow, g.EloHigh))
		}
	}
}

// elo is a difference with its interval.
func elo(mean, low, high float64) string { return fmt.Sprintf("%+.0f [%+.0f, %+.0f]", mean, low, high) }
