package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"dojo/arena"
	"dojo/models"
	"dojo/run"
)

// opponents are whom a game's model meets at 64 simulations, the time of a move of the
// matches against the yardstick, and how many random actions an opening has in the
// second of these, whose openings are balanced; 0 is no such match.
var opponents = map[string]struct {
	against, time string
	openings      int
}{
	"onitama":     {"mcts:1000,mcts:5000,alphabeta:5", "30ms", 2},
	"oanquan":     {"mcts:1000,alphabeta:4,alphabeta:6", "30ms", 6},
	"patchwork":   {"mcts:1000,mcts:2000,alphabeta:2", "100ms", 2},
	"wallonitama": {"mcts:1000,mcts:5000,alphabeta:4", "30ms", 2},
	"tictactoe":   {"mcts:1000,alphabeta:9", "5ms", 0},
}

// balanced is how far from a draw an opening may be to count as balanced; see "dojo help match".
const balanced = 0.15

// simulations are those of a move where it is not timed.
const simulations = "64"

// measure fills in how strong the model at path is.
func (p *put) measure(ctx context.Context, path string, r *record) error {
	of, ok := opponents[r.Game]
	if !ok {
		of.against, of.time = "mcts:1000,alphabeta:2", "30ms"
	}
	games := strconv.Itoa(p.games)
	var old []match
	if models.Has(r.Game) {
		if err := p.dojo(ctx, &old, "match", path+":"+simulations, "box:"+simulations, "--game", r.Game, "--games", games); err != nil {
			return err
		}
		if c, err := models.Load(r.Game); err == nil && c.Hash() == r.Hash {
			old = nil // it is in the box already
		}
	}
	for _, s := range old {
		fmt.Fprintf(os.Stderr, "against the one in the box: %+.0f [%+.0f, %+.0f]\n", s.Elo, s.EloLow, s.EloHigh)
		if s.Elo <= 0 && !p.force {
			return fmt.Errorf("%s is not stronger than the model in the box; -force replaces it all the same", path)
		}
	}
	if err := p.dojo(ctx, &r.Matches, "evaluate", path, "--against", of.against, "--games", games, "--simulations", simulations); err != nil {
		return err
	}
	if err := p.dojo(ctx, &r.Matches, "match", path+"@"+of.time, "alphabeta@"+of.time, "--games", games); err != nil {
		return err
	}
	if of.openings > 0 {
		var even []match
		if err := p.dojo(ctx, &even, "match", path+"@"+of.time, "alphabeta@"+of.time, "--games", games,
			"--openings", strconv.Itoa(of.openings), "--balanced", fmt.Sprint(balanced)); err != nil {
			return err
		}
		even[0].Balanced = balanced
		r.Matches = append(r.Matches, even...)
	}
	for i, s := range r.Matches {
		r.Matches[i].A = "box" + budget(s.A)
	}
	for _, file := range p.solved {
		for _, limit := range [][2]string{{"--simulations", simulations}, {"--time", of.time}} {
			var s []solved
			if err := p.dojo(ctx, &s, "evaluate", path, "--solved", file, limit[0], limit[1]); err != nil {
				return err
			}
			s[0].File, s[0].Budget = filepath.Base(file), strings.TrimPrefix(limit[0], "--")+" "+limit[1]
			r.Solved = append(r.Solved, s[0])
		}
	}
	return p.curve(ctx, path, r)
}

// budget is what stands behind a model's name in that of a player: ":64" or "@30ms".
func budget(player string) string {
	if i := strings.LastIndexAny(player, ":@"); i >= 0 {
		return player[i:]
	}
	return ""
}

// curve fills in how the strength of the model's run grew, if it lies in one.
func (p *put) curve(ctx context.Context, path string, r *record) error {
	dir := run.Of(path)
	if dir == "" {
		return nil
	}
	done, err := dir.Records()
	if err != nil || len(done) < 2 {
		return err
	}
	if err := p.dojo(ctx, &r.Curve, "evaluate", string(dir), "--generations", "6", "--games", strconv.Itoa(p.games), "--simulations", simulations); err != nil {
		return err
	}
	for i, g := range r.Curve {
		name := filepath.Base(g.Player)
		r.Curve[i].Player = strings.TrimSuffix(name[:len(name)-len(budget(name))], models.Extension)
	}
	return nil
}

// dojo runs the program and appends the objects that it prints as JSON to list.
func (p *put) dojo(ctx context.Context, list any, args ...string) error {
	args = append(args, "--json")
	fmt.Fprintln(os.Stderr, "dojo", strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, p.program, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("dojo %s: %w", strings.Join(args, " "), err)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	text := append(append([]byte("["), bytes.Join(lines, []byte(","))...), ']')
	switch list := list.(type) {
	case *[]match:
		return decode(text, list)
	case *[]arena.Rung:
		return decode(text, list)
	case *[]solved:
		return decode(text, list)
	}
	return fmt.Errorf("no form for %T", list)
}

// decode appends a list in JSON to another.
func decode[T any](text []byte, to *[]T) error {
	var list []T
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*to = append(*to, list...)
	return nil
}
