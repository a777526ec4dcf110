package serve

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dojo.example/data"
	"dojo.example/run"
)

// A list has every game of a run, as its rows and lines have them.
func TestGameList(t *testing.T) {
	f := smallRun(t)
	s := newServer(t, f)
	list := get[GameList](t, s, "/api/runs/small/games", "")
	if list.Total != 16 || len(list.Games) != 16 || list.Generation != "1" || !slices.Equal(list.Generations, []int{0, 1}) {
		t.Errorf("the newest games are %+v", list)
	}
	_, rows, err := data.ReadShard(f.Shard(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	length := int(rows[0].TurnsLeft)
	if g := list.Games[8]; g.Number != 8 || g.Length != length || g.First != rows[0].Model || g.Source != "selfplay" || g.Generation != 1 {
		t.Errorf("game 8 is listed as %+v, and has %d actions", g, length)
	}
	if list := get[GameList](t, s, "/api/runs/small/games?generation=all", ""); list.Total != 32 || list.Read != 2 || list.Left != 0 || list.Games[0].Generation != 0 {
		t.Errorf("all games are %+v", list)
	}
	part := get[GameList](t, s, "/api/runs/small/games?offset=14&limit=5", "")
	if part.Total != 16 || len(part.Games) != 2 || part.Games[0].Number != 14 {
		t.Errorf("the end of the list is %+v", part)
	}
	gate := get[GameList](t, s, "/api/runs/small/games?source=gate&generation=0", "")
	if gate.Total != 4 || gate.Games[1].First != "uniform" && gate.Games[1].Second != "uniform" || gate.Games[0].Swing != nil {
		t.Errorf("the games of a gate are %+v", gate)
	}
}

// Lists are sorted by what they are asked to be.
func TestGameListOrder(t *testing.T) {
	s := newServer(t, smallRun(t))
	for sort, by := range map[string]func(Listed) float32{
		"length":   func(g Listed) float32 { return float32(g.Length) },
		"swing":    func(g Listed) float32 { return *g.Swing },
		"surprise": func(g Listed) float32 { return *g.Surprise },
	} {
		list := get[GameList](t, s, "/api/runs/small/games?sort="+sort, "")
		if !slices.IsSortedFunc(list.Games, func(x, y Listed) int { return cmp.Compare(by(x), by(y)) }) {
			t.Errorf("by %s the games are %+v", sort, list.Games)
		}
		list = get[GameList](t, s, "/api/runs/small/games?order=down&sort="+sort, "")
		if !slices.IsSortedFunc(list.Games, func(x, y Listed) int { return cmp.Compare(by(y), by(x)) }) {
			t.Errorf("by %s, the largest first, the games are %+v", sort, list.Games)
		}
	}
}

// Swing is the largest step of the value, the outcome included; surprise is how far
// values are from the outcome in the mean.
func TestSwingAndSurprise(t *testing.T) {
	row := func(value float32) data.Row { return data.Row{Value: value, Outcome: -1} }
	g := listRows([]data.Row{row(0.5), row(0), row(-0.25)}, run.Shard{})
	if *g.Swing != 0.75 || *g.Surprise != 3.25/3 || g.Outcome != "second" || g.Length != 3 {
		t.Errorf("the game is listed as %+v, swing %v, surprise %v", g, *g.Swing, *g.Surprise)
	}
}

// A game is told position by position, with what its rows keep, and what its models
// think of it again.
func TestGame(t *testing.T) {
	f := smallRun(t)
	s := newServer(t, f)
	_, rows, err := data.ReadShard(f.Shard(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	game := get[Game](t, s, "/api/runs/small/games/selfplay/1/8", "")
	n := int(rows[0].TurnsLeft)
	if game.Game != "tictactoe" || game.Length != n || len(game.Positions) != n+1 || len(game.Searches) != n {
		t.Fatalf("the game is %+v", game)
	}
	for i, k := range game.Searches {
		if game.Positions[i].Position != rows[i].Position || k.Value != rows[i].Value || len(k.Policy) != len(rows[i].Policy) {
			t.Errorf("position %d is %+v, %+v; its row %+v", i, game.Positions[i], k, rows[i])
		}
	}
	if game.Positions[n].Outcome != game.Outcome || game.Positions[1].Move == "" {
		t.Errorf("the game ends %s in %+v", game.Outcome, game.Positions[n])
	}
	thoughts := get[Thoughts](t, s, "/api/runs/small/games/selfplay/1/8", "{}")
	if len(thoughts.Networks) != n || len(thoughts.Searches) != 0 || len(thoughts.Networks[0].Policy) != 9 {
		t.Errorf("of a game of self-play the models think %+v", thoughts)
	}
	gate := get[Game](t, s, "/api/runs/small/games/gate/1/2", "")
	thoughts = get[Thoughts](t, s, "/api/runs/small/games/gate/1/2", "{}")
	if n := gate.Length; n == 0 || len(gate.Positions) != n+1 || len(thoughts.Networks) != n || len(thoughts.Searches) != n || len(thoughts.Searches[0].Policy) == 0 {
		t.Errorf("of the gate's game %+v the models think %+v", gate, thoughts)
	}
}

// What is asked wrongly, or is not there, or is damaged, is one line.
func TestGamesRefuse(t *testing.T) {
	f := smallRun(t)
	s := newServer(t, f)
	write(t, f.Gate(0), []byte("{\"opening\":\n"))
	if err := os.Truncate(f.Shard(0, 0), 100); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(f.Model("000000")); err != nil {
		t.Fatal(err)
	}
	for path, status := range map[string]int{
		"/api/runs/other/games":                                 404,
		"/api/runs/small/games?source=else":                     400,
		"/api/runs/small/games?sort=else":                       400,
		"/api/runs/small/games?order=else":                      400,
		"/api/runs/small/games?offset=-1":                       400,
		"/api/runs/small/games?limit=100000":                    400,
		"/api/runs/small/games?generation=../..":                400,
		"/api/runs/small/games?generation=7":                    404,
		"/api/runs/small/games?generation=0":                    500, // its shard is damaged
		"/api/runs/small/games?source=gate&generation=0":        500,
		"/api/runs/small/games/else/0/0":                        404,
		"/api/runs/small/games/selfplay/0/0":                    500,
		"/api/runs/small/games/selfplay/1/16":                   404,
		"/api/runs/small/games/selfplay/1/-1":                   400,
		"/api/runs/small/games/selfplay/1/x":                    400,
		"/api/runs/small/games/selfplay/99999999999999999999/0": 400,
		"/api/runs/small/games/gate/1/4":                        404,
	} {
		w := s.test(t, path, "")
		if w.Code != status || !strings.Contains(w.Body.String(), `{"error":"`) {
			t.Errorf("%s: status %d, want %d: %s", path, w.Code, status, w.Body)
		}
	}
	if w := s.test(t, "/api/runs/small/games/gate/1/0", "{}"); w.Code != 409 || !strings.Contains(w.Body.String(), "000000") {
		t.Errorf("where a model is gone: status %d, %s", w.Code, w.Body)
	}
}

// What a cache keeps is bounded, and a file that changes is read again.
func TestFileCacheForgets(t *testing.T) {
	x := newFileCache(2*MaxListed, func(games []Listed) int { return len(games) })
	dir := t.TempDir()
	reads := 0
	for i := range 5 {
		path := fmt.Sprintf("%s/%d", dir, i)
		write(t, path, []byte("x"))
		for range 2 {
			games, err := x.get(path, func(string) ([]Listed, error) {
				reads++
				return make([]Listed, MaxListed), nil
			})
			if err != nil || len(games) != MaxListed {
				t.Fatalf("%d games, %v", len(games), err)
			}
		}
	}
	if reads != 5 || x.used > 2*MaxListed || len(x.files) == 0 {
		t.Errorf("after %d reads the cache has %d games of %d files", reads, x.used, len(x.files))
	}
	write(t, dir+"/4", []byte("longer"))
	if _, err := x.get(dir+"/4", func(string) ([]Listed, error) { reads++; return nil, nil }); err != nil || reads != 6 {
		t.Errorf("a file that has changed: %v, %d reads", err, reads)
	}
}
