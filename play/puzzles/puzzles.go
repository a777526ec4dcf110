// Package puzzles finds puzzles in the games of a run or in saved games. A puzzle is a position
// with only one good action. The finder looks at the positions in which a player made a mistake. A
// position becomes a puzzle if a deep search finds that one action is clearly better than all
// others.
package puzzles

import (
	"context"
	"fmt"
	"iter"
	"os"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/internal/regular"
	"dojo.example/play"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// Puzzle is a position and its solution. The web pages read files in which each line is one Puzzle
// in JSON.
type Puzzle struct {
	Game     string   `json:"game"`
	Position string   `json:"position"`
	Best     string   `json:"best"`
	Line     []string `json:"line"`   // best play of both sides, beginning with Best
	Value    float32  `json:"value"`  // value with best play, from First's perspective
	Gap      float32  `json:"gap"`    // how much worse the second-best action is, from 0 to 2
	Proven   bool     `json:"proven"` // whether the outcome after Best is proven
	Played   string   `json:"played"` // the wrong action that was played in the game
}

// Clear is the smallest Gap of a puzzle.
const Clear = 0.3

// A position counts as not lost if the player to move has at least this value.
const even = -0.1

// longest is the maximum number of actions in Puzzle.Line.
const longest = 12

// Finder finds puzzles.
type Finder struct {
	Analyser *analysis.Analyser
	Quick    think.Budget // budget of the first search of each position, which finds mistakes
	Deep     think.Budget // budget of the search that decides whether a mistake makes a puzzle
}

// Find looks for puzzles in the games and calls tell for each of them. It uses each position at
// most once. It stops when tell returns false, when there are no more games, or when ctx ends.
func (f *Finder) Find(ctx context.Context, games iter.Seq2[play.Game, error], tell func(Puzzle) bool) error {
	seen := map[string]bool{}
	for g, err := range games {
		if err != nil {
			return err
		}
		var mistakes []analysis.Reviewed
		err := f.Analyser.Review(ctx, g.Positions, g.Actions, f.Quick, func(r analysis.Reviewed) error {
			if r.Loss >= Clear {
				mistakes = append(mistakes, r)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, m := range mistakes {
			p := g.Positions[m.Ply-1]
			if seen[p.String()] {
				continue
			}
			seen[p.String()] = true
			puzzle, ok, err := f.judge(ctx, p, m.Move)
			if err != nil {
				return err
			}
			if ok && !tell(puzzle) {
				return nil
			}
		}
	}
	return nil
}

// judge searches a position deeply and decides whether it is a puzzle: one action must be clearly
// the best, must not lose, and must not be the action that was played.
func (f *Finder) judge(ctx context.Context, p engine.Position, played string) (Puzzle, bool, error) {
	t, err := f.Analyser.Begin(ctx, p, f.Deep, 0).Wait()
	if err != nil || len(t.Moves) < 2 {
		return Puzzle{}, false, err
	}
	sign := p.ToMove().Sign()
	best, gap := t.Moves[0], float32(-1) // -1: no value of another action is known yet
	for _, other := range t.Moves[1:] {
		if d := sign * (valueOf(best) - valueOf(other)); (other.Visits > 0 || other.Proven != engine.Ongoing) && (gap < 0 || d < gap) {
			gap = max(d, 0)
		}
	}
	if gap < Clear || sign*valueOf(best) < even || best.Move == played {
		return Puzzle{}, false, nil
	}
	return Puzzle{
		Game: f.Analyser.Game.Name, Position: p.String(), Best: best.Move, Line: best.Line[:min(len(best.Line), longest)],
		Value: valueOf(best), Gap: gap, Proven: best.Proven != engine.Ongoing, Played: played,
	}, true, nil
}

// valueOf returns the value of an action from First's perspective. If the outcome is proven, the
// value is exact.
func valueOf(m analysis.Move) float32 {
	if m.Proven != engine.Ongoing {
		return m.Proven.Value()
	}
	return m.Value
}

// OfRun returns the self-play games of a run. It begins with the newest generation.
func OfRun(folder rundir.Folder, game engine.Game) iter.Seq2[play.Game, error] {
	return func(yield func(play.Game, error) bool) {
		shards, err := folder.Shards()
		if err == nil && len(shards) == 0 {
			err = fmt.Errorf("run %s has no self-play games", folder)
		}
		for i := len(shards) - 1; i >= 0 && err == nil; i-- {
			_, rows, e := data.ReadShard(shards[i].Path, data.LimitsOf(game.Spec, 0))
			for err = e; len(rows) > 0 && err == nil; {
				n := int(rows[0].TurnsLeft)
				positions, actions := data.Path(rows[:n])
				var g play.Game
				if g, err = play.Replay(game, positions, actions); err == nil && !yield(g, nil) {
					return
				}
				rows = rows[n:]
			}
		}
		if err != nil {
			yield(play.Game{}, err)
		}
	}
}

// OfRecords returns the games that are saved in the files with the given paths.
func OfRecords(paths []string, game engine.Game) iter.Seq2[play.Game, error] {
	return func(yield func(play.Game, error) bool) {
		for _, path := range paths {
			text, err := regular.ReadText(path, play.MaxBytes)
			var record play.Game
			if err == nil {
				record, err = play.Read(game, string(text))
			}
			if err != nil {
				yield(play.Game{}, fmt.Errorf("record %s: %w", path, err))
				return
			}
			if !yield(record, nil) {
				return
			}
		}
	}
}

// IsRun reports whether a path is a folder. A folder is treated as a run, and any other path as a
// saved game.
func IsRun(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
