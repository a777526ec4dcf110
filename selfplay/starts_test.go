package selfplay_test

import (
	"reflect"
	"strings"
	"testing"

	"dojo/data"
	"dojo/engine/tictactoe"
	"dojo/selfplay"
)

// restarting is a job of which every third game begins at a start, as far as there are
// some, and their list as a file.
func restarting(t *testing.T, workers, lanes int) (selfplay.Job, string) {
	t.Helper()
	file := `{"position":"xo.......","ply":2,"regret":1.5,"game":1000007}
{"position":"x...o...x","ply":3,"regret":1.25,"game":1000001}
`
	j := job(workers, lanes)
	j.Restarts = 1.0 / 3
	var err error
	if j.Starts, err = selfplay.ParseStarts(j.Game, []byte(file)); err != nil {
		t.Fatal(err)
	}
	return j, file
}

// The games of the share that restarts begin at the starts of the list in order, the
// others with a deal, and a shard does not depend on who plays it.
func TestRestarts(t *testing.T) {
	j, _ := restarting(t, 1, 1)
	want := play(t, j, 0, 1, 2)
	for _, c := range [][2]int{{1, 16}, {4, 3}} {
		j, _ := restarting(t, c[0], c[1])
		if got := play(t, j, 0, 1, 2); !reflect.DeepEqual(got.all, want.all) {
			t.Errorf("%d workers of %d lanes play other games than one worker of one lane", c[0], c[1])
		}
	}
	begin := map[int]string{2: "xo.......", 5: "x...o...x"}
	plies := map[int]int32{2: 2, 5: 3}
	games := 0
	for shard, rows := range want.all {
		if want.from[shard].Starts != j.Starts.ID() {
			t.Errorf("shard %d is of the list %q, want %q", shard, want.from[shard].Starts, j.Starts.ID())
		}
		if err := j.Starts.Check(rows, j.Config); err != nil {
			t.Errorf("shard %d: %v", shard, err)
		}
		for i, r := range rows {
			if i > 0 && rows[i-1].Game == r.Game {
				continue
			}
			games++
			n := selfplay.Number(r.Game)
			position, ok := begin[n]
			if !ok {
				position = "........."
			}
			if r.Position != position || r.Ply != plies[n] {
				t.Errorf("game %d begins at ply %d with %q, want %q", n, r.Ply, r.Position, position)
			}
		}
	}
	if games != 48 {
		t.Errorf("%d games, want 48", games)
	}
}

// What begins elsewhere than it should is found.
func TestRestartsAreChecked(t *testing.T) {
	j, _ := restarting(t, 1, 8)
	rows := play(t, j, 0).all[0]
	for says, spoil := range map[string]func(r *data.Row){
		"should begin with a deal": func(r *data.Row) { r.Game-- }, // it was restarted, and takes the place of one that was not
		"should begin at ply 2":    func(r *data.Row) { r.Position = "x...o...x" },
	} {
		var some []data.Row
		for _, r := range rows {
			if selfplay.Number(r.Game) == 2 {
				spoil(&r)
				some = append(some, r)
			}
		}
		if err := j.Starts.Check(some, j.Config); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v should say that it %s", err, says)
		}
	}
	var none *selfplay.Starts
	if err := none.Check(rows, j.Config); err == nil || !strings.Contains(err.Error(), "begin with a deal") {
		t.Errorf("without a list a game that begins at a start gives %v", err)
	}
}

// A list has the position of the greatest regret of each game, ranked, each once; none of
// a game that ended as the search thought, and no deal.
func TestSurprises(t *testing.T) {
	row := func(game int64, ply int32, position string, value float32, outcome int32) data.Row {
		return data.Row{Game: game, Ply: ply, Position: position, Value: value, Outcome: outcome}
	}
	rows := []data.Row{
		row(1, 0, "deal", 0.75, -1), row(1, 1, "a", 0.25, -1), row(1, 2, "b", 0.5, -1), row(1, 3, "c", 0.5, -1),
		row(2, 0, "deal", 0, 1), row(2, 1, "d", 0, 1), row(2, 2, "e", 0.5, 1),
		row(3, 4, "f", -0.75, 1), row(3, 5, "g", 0.5, 1),
		row(4, 0, "deal", 0, 1), row(4, 1, "b", -0.25, 1),
		row(5, 0, "deal", 0, 1), row(5, 1, "h", -0.125, 1),
		row(6, 0, "deal", 0, 0), row(6, 1, "i", -1, 0),
	}
	file := `{"position":"f","ply":4,"regret":1.75,"game":3}
{"position":"b","ply":2,"regret":1.5,"game":1}
{"position":"h","ply":1,"regret":1.125,"game":5}
`
	for n, want := range map[int]string{9: file, 2: file[:strings.Index(file, `{"position":"h"`)], 0: ""} {
		if got, err := selfplay.Surprises(rows, n); err != nil || string(got) != want {
			t.Errorf("the %d most surprising are\n%s%v, want\n%s", n, got, err, want)
		}
	}
}

// A file that is no list of starts is refused with the line that is wrong.
func TestParseStarts(t *testing.T) {
	_, file := restarting(t, 1, 1)
	for bad, says := range map[string]string{
		file + `{"position":"XX. OO. ..."`:                                 "line 3",
		file + `{"position":"nonsense","ply":1}`:                           "line 3",
		`{"position":"xxxoo....","ply":5}`:                                 "is over",
		`{"position":"xo.......","ply":-1}`:                                "ply -1",
		`{"position":"xo.......","ply":2,"regret":1,"game":1,"model":"a"}`: "unknown field",
	} {
		if _, err := selfplay.ParseStarts(tictactoe.Rules.Game(), []byte(bad)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s gives %v, which should say %q", bad, err, says)
		}
	}
}
