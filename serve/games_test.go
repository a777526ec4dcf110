package serve

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dojo.example/data"
	"dojo.example/data/rundir"
)

// The list of games contains every game of a run, with data from the rows of a self-play game or
// from the line of a gate match's game.
func TestGameList(t *testing.T) {
	f := smallRun(t)
	s := newServer(t, f)
	list := get[GameList](t, s, "/api/runs/small/games", "")
	if list.Total != 16 || len(list.Games) != 16 || list.Generation != "1" || !slices.Equal(list.Generations, []int{0, 1}) {
		t.Errorf("the newest games are %+v", list)
	}
	_, rows, err := data.ReadShard(f.Shard(1, 1), data.Limits{})
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

// The server sorts the list of games as the request asks.
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

// The list of games can be filtered: games won by one side, or games of a gate match that the new
// model lost.
func TestGameListFilters(t *testing.T) {
	s := newServer(t, smallRun(t))
	all := get[GameList](t, s, "/api/runs/small/games?generation=all", "")
	for _, winner := range []string{"first", "second", "draw"} {
		want := slices.DeleteFunc(slices.Clone(all.Games), func(g Listed) bool { return g.Outcome != winner })
		got := get[GameList](t, s, "/api/runs/small/games?generation=all&winner="+winner, "")
		if got.Total != len(want) {
			t.Errorf("%d games are listed as won by %s, of %d", got.Total, winner, len(want))
		}
	}
	gates := get[GameList](t, s, "/api/runs/small/games?source=gate&generation=all", "")
	lost := get[GameList](t, s, "/api/runs/small/games?source=gate&generation=all&lost=candidate", "")
	want := 0
	for _, g := range gates.Games {
		loser := map[string]string{"first": g.Second, "second": g.First}[g.Outcome]
		if loser == rundir.ModelName(g.Generation) {
			want++
		}
	}
	if lost.Total != want || want == 0 || want == gates.Total {
		t.Errorf("%d of %d games are listed as lost by the candidate; it lost %d", lost.Total, gates.Total, want)
	}
}

// If the list of games includes boards, each board shows the position after the largest change of
// the value in the game.
func TestGameListBoards(t *testing.T) {
	s := newServer(t, smallRun(t))
	for _, source := range []string{"selfplay", "gate"} {
		for _, g := range get[GameList](t, s, "/api/runs/small/games?boards=true&limit=9&source="+source, "").Games {
			game := get[Game](t, s, fmt.Sprintf("/api/runs/small/games/%s/%d/%d", source, g.Generation, g.Number), "")
			if g.Board == nil || g.Board.Position != game.Positions[g.Turn].Position || g.Board.Move != game.Positions[g.Turn].Move {
				t.Fatalf("game %d has the board %+v; after %d actions it stands at %+v", g.Number, g.Board, g.Turn, game.Positions[g.Turn])
			}
			step := func(i int) float32 {
				if i+1 < len(game.Searches) {
					return distance(game.Searches[i].Value, game.Searches[i+1].Value)
				}
				return distance(game.Searches[i].Value, map[string]float32{"first": 1, "second": -1}[g.Outcome])
			}
			if source == "selfplay" && step(g.Turn-1) != *g.Swing {
				t.Errorf("game %d turns by %v with action %d; its largest swing is %v", g.Number, step(g.Turn-1), g.Turn, *g.Swing)
			}
		}
	}
}

// The server shows how the model of each generation evaluates a position.
func TestWatch(t *testing.T) {
	f := smallRun(t)
	s := newServer(t, f)
	body := `{"game":"tictactoe","position":"x...o....","moves":["c3"]}`
	w := get[Watched](t, s, "/api/runs/small/watch", body)
	if len(w.Points) != 2 || w.Points[1].Generation != 1 || w.Points[1].Model != "000001" || w.Position.Position != "x.x.o...." {
		t.Fatalf("the position is watched as %+v", w)
	}
	if len(w.Points[0].Policy) != 6 || w.Points[0].Value == w.Points[1].Value {
		t.Errorf("two networks think %+v", w.Points)
	}
	if err := os.Remove(f.Model("000000")); err != nil {
		t.Fatal(err)
	}
	searched := get[Watched](t, s, "/api/runs/small/watch", strings.Replace(body, "{", `{"simulations":200,`, 1))
	if len(searched.Points) != 1 || searched.Points[0].Policy[0].Move != "b3" {
		t.Errorf("searches of the models that are there find %+v", searched.Points)
	}
	for body, status := range map[string]int{
		`{"game":"onitama"}`: 400,
		`{"game":"tictactoe","position":"x...o....","simulations":401}`: 400,
		`{"game":"tictactoe","position":"xxx.oo..."}`:                   400,
	} {
		if r := s.test(t, "/api/runs/small/watch", body); r.Code != status {
			t.Errorf("%s: status %d, want %d: %s", body, r.Code, status, r.Body)
		}
	}
	if got := spaced([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 4); !slices.Equal(got, []int{0, 3, 6, 9}) {
		t.Errorf("four of ten are %v", got)
	}
}

// The server caches opinions (models' evaluations of positions). The cache has a limited size, and
// drops a model's opinions when the model's file changes.
func TestWatchRemembers(t *testing.T) {
	f := smallRun(t)
	s := newServer(t, f)
	watch := func() []WatchedPoint {
		return get[Watched](t, s, "/api/runs/small/watch", `{"game":"tictactoe","position":"........."}`).Points
	}
	before := watch()
	for _, key := range s.opinions.kept.Keys() {
		s.opinions.put(key, Opinion{Value: 0.5})
	}
	if kept := watch(); kept[0].Value != 0.5 || kept[1].Value != 0.5 {
		t.Errorf("what was kept is computed again: %+v", kept)
	}
	model, err := os.ReadFile(f.Model("000001"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, f.Model("000000"), model)
	if r := s.test(t, "/api/runs/small/watch", `{"game":"tictactoe","position":"........."}`); r.Code != 409 || !strings.Contains(r.Body.String(), "000000.safetensors is not the file") {
		t.Errorf("a model that is not the run's thinks: status %d, %s", r.Code, r.Body)
	}
	commitAgain(t, f, 0)
	commitAgain(t, f, 1)
	if after := watch(); after[0].Value != before[1].Value || after[1].Value != 0.5 {
		t.Errorf("after model 000000 became model 000001 they think %+v; before %+v", after, before)
	}
	for i := range maxOpinions + 1 {
		s.opinions.put(fmt.Sprint(i), Opinion{})
	}
	if n := s.opinions.kept.Len(); n > maxOpinions {
		t.Errorf("%d opinions are kept", n)
	}
}

// The swing of a game is the largest change of the value between two successive positions, or
// between the last position and the outcome. The surprise of a game is the mean distance between
// the values and the outcome.
func TestSwingAndSurprise(t *testing.T) {
	row := func(value float32) data.Row { return data.Row{Value: value, Outcome: -1} }
	g := listRows([]data.Row{row(0.5), row(0), row(-0.25)}, 0)
	if *g.Swing != 0.75 || *g.Surprise != 3.25/3 || g.Outcome != "second" || g.Length != 3 {
		t.Errorf("the game is listed as %+v, swing %v, surprise %v", g, *g.Swing, *g.Surprise)
	}
}

// The server shows every position of a game. For self-play, it shows the search results stored in
// the rows. On request, it computes the evaluations of the models that played.
func TestGame(t *testing.T) {
	f := smallRun(t)
	s := newServer(t, f)
	_, rows, err := data.ReadShard(f.Shard(1, 1), data.Limits{})
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

// A wrong request, a missing game and damaged data each lead to a one-line error.
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
		"/api/runs/small/games?winner=else":                     400,
		"/api/runs/small/games?lost=first":                      400,
		"/api/runs/small/games?boards=true&limit=51":            400,
		"/api/runs/small/games?offset=-1":                       400,
		"/api/runs/small/games?limit=100000":                    400,
		"/api/runs/small/games?generation=../..":                400,
		"/api/runs/small/games?generation=7":                    404,
		"/api/runs/small/games?generation=0":                    500, // damaged shard
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

// The cache of game lists has a limited size, and the server reads a changed file again.
func TestCacheForgets(t *testing.T) {
	x := newCache(2*MaxListed, 1, func(games []Listed) int { return len(games) })
	dir := t.TempDir()
	reads := 0
	for i := range 5 {
		path := fmt.Sprintf("%s/%d", dir, i)
		write(t, path, []byte("x"))
		for range 2 {
			games, err := x.get(t.Context(), version(path), func() ([]Listed, error) {
				reads++
				return make([]Listed, MaxListed), nil
			})
			if err != nil || len(games) != MaxListed {
				t.Fatalf("%d games, %v", len(games), err)
			}
		}
	}
	if reads != 5 || x.used > 2*MaxListed || x.kept.Len() != 2 {
		t.Errorf("after %d reads the cache has %d games of %d files", reads, x.used, x.kept.Len())
	}
	write(t, dir+"/4", []byte("longer"))
	if _, err := x.get(t.Context(), version(dir+"/4"), func() ([]Listed, error) { reads++; return nil, nil }); err != nil || reads != 6 {
		t.Errorf("a file that has changed: %v, %d reads", err, reads)
	}
}
