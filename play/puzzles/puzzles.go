// Package puzzles finds positions with one good action, in the games of a run or in saved
// games, for people to find it: where somebody has made a mistake, and a deep search says what
// was better and that nothing else is nearly as good.
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

// A Puzzle is a position and its answer. It is a line of the files that pages read.
type Puzzle struct {
	Game     string   `json:"game"`
	Position string   `json:"position"`
	Best     string   `json:"best"`
	Line     []string `json:"line"`   // the best play of both, Best first
	Value    float32  `json:"value"`  // with best play, from First's side
	Gap      float32  `json:"gap"`    // how much worse the second best action is, out of 2
	Proven   bool     `json:"proven"` // it is known how the game ends after Best under best play
	Played   string   `json:"played"` // the mistake that was made
}

// Clear is the least Gap of a puzzle.
const Clear = 0.3

// even is the least value, for the player to move, that counts as not lost.
const even = -0.1

// longest is the most actions of a Line.
const longest = 12

// A Finder looks for puzzles.
type Finder struct {
	Analyser *analysis.Analyser
	Quick    think.Budget // of the search of every position, which finds mistakes
	Deep     think.Budget // of the search that judges a puzzle
}

// Find passes the puzzles in games to tell, each position once, until tell returns false, the
// games end or ctx does.
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

// judge searches a position deeply, and returns it as a puzzle if one action is clearly the best
// and does not lose.
func (f *Finder) judge(ctx context.Context, p engine.Position, played string) (Puzzle, bool, error) {
	t, err := f.Analyser.Begin(ctx, p, f.Deep, 0).Wait()
	if err != nil || len(t.Moves) < 2 {
		return Puzzle{}, false, err
	}
	sign := p.ToMove().Sign()
	best, gap := t.Moves[0], float32(-1) // unless another action is known
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

// valueOf is the value of an action, exact if it is proven.
func valueOf(m analysis.Move) float32 {
	if m.Proven != engine.Ongoing {
		return m.Proven.Value()
	}
	return m.Value
}

// OfRun returns the games of a run's self-play, the newest generation first.
func OfRun(folder rundir.Folder, game engine.Game) iter.Seq2[play.Game, error] {
	return func(yield func(play.Game, error) bool) {
		shards, err := folder.Shards()
		if err == nil && len(shards) == 0 {
			err = fmt.Errorf("run %s has no samples", folder)
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

// OfRecords returns saved games.
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

// IsRun reports whether a path is a folder, and so a run and not a record.
func IsRun(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
