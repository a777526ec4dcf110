package puzzles_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/model"
	"dojo.example/play/analysis"
	"dojo.example/play/puzzles"
	"dojo.example/search/think"
)

// find returns the puzzles in saved games of tic-tac-toe.
func find(t *testing.T, records ...string) (found []puzzles.Puzzle, err error) {
	t.Helper()
	entry, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	c, err := box.Load("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	player, err := think.Model(c, model.Best)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, text := range records {
		path := filepath.Join(t.TempDir(), "game.txt")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	x := analysis.New(entry.Game, player, analysis.Options{Workers: 2})
	f := puzzles.Finder{Analyser: x, Quick: think.Budget{Visits: 200}, Deep: think.Budget{Visits: 2000}}
	err = f.Find(t.Context(), puzzles.OfRecords(paths, entry.Game.Game), func(p puzzles.Puzzle) bool {
		found = append(found, p)
		return true
	})
	return found, err
}

// The game contains a position in which Second fails to stop three in a row. This position is a
// puzzle, and Find returns it only once. Its solution is the only move that does not lose. A
// position is no puzzle if all moves lose or if several moves are equally good.
func TestFind(t *testing.T) {
	const game = "# dojo: a game of tictactoe\n.........\nb2 a3 a1 b3 c3\n"
	found, err := find(t, game, game)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(found, func(p puzzles.Puzzle) bool { return p.Position == "o...x.x.." })
	if at < 0 {
		t.Fatalf("the puzzles are %+v", found)
	}
	if p := found[at]; p.Best != "c3" || p.Played != "b3" || p.Value < -0.1 || p.Value > 0.1 || p.Gap < puzzles.Clear || p.Line[0] != p.Best {
		t.Errorf("the puzzle is %+v", p)
	}
	entry, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range found {
		if slices.ContainsFunc(found[:i], func(o puzzles.Puzzle) bool { return o.Position == p.Position }) {
			t.Errorf("%s comes twice", p.Position)
		}
		pos, err := entry.Parse(p.Position)
		if err != nil {
			t.Fatal(err)
		}
		best, others := int8(-2), int8(-2) // values for the player to move, from a full search
		for _, a := range pos.Legal(nil) {
			if v := -solve(pos.Play(a)); pos.ActionString(a) == p.Best {
				best = v
			} else {
				others = max(others, v)
			}
		}
		if best < 0 || others >= best {
			t.Errorf("%+v: the answer is worth %d, others %d", p, best, others)
		}
	}
}

// solve returns the value of a position for the player to move.
func solve(p engine.Position) (value int8) {
	if o := p.Outcome(); o != engine.Ongoing {
		return int8(o.Value() * p.ToMove().Sign())
	}
	value = -1
	for _, a := range p.Legal(nil) {
		value = max(value, -solve(p.Play(a)))
	}
	return value
}

func TestDamagedRecord(t *testing.T) {
	if _, err := find(t, "# dojo: a game of tictactoe\n.........\nz9\n"); err == nil || !strings.Contains(err.Error(), "game.txt") {
		t.Errorf("a damaged record: %v", err)
	}
}
