package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dojo.example/play/analysis"
)

func TestRulesShow(t *testing.T) {
	const start = "bbBbb/...../...../...../wwWww 0 8,6 0,12 9"
	for _, c := range []struct {
		args                      []string
		position, toMove, outcome string
		legal                     []string
	}{
		{[]string{"tictactoe"}, ".........", "first", "ongoing", []string{"a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"}},
		{[]string{"tictactoe", "start", "b2"}, "....x....", "second", "ongoing", []string{"a1", "a2", "a3", "b1", "b3", "c1", "c2", "c3"}},
		{[]string{"tictactoe", "xx.oo....", "c3"}, "xxxoo....", "second", "first", []string{}},
		{[]string{"tictactoe", "xxoooxxox"}, "xxoooxxox", "second", "draw", []string{}},
		{[]string{"oanquan"}, "10,5,5,5,5,5,10,5,5,5,5,5 0,0 2 11 0", "first", "ongoing", nil},
		{[]string{"oanquan", "usual"}, "10,5,5,5,5,5,10,5,5,5,5,5 0,0 2 11 0", "first", "ongoing", nil},
		{[]string{"oanquan:folk_stones=4,first_player=1"}, "10,4,4,4,4,4,10,4,4,4,4,4 0,0 1 11 0", "first", "ongoing", nil},
		{[]string{"onitama", start}, start + " 0", "first", "ongoing",
			[]string{"6 A1A2", "6 B1B2", "6 C1C2", "6 D1D2", "6 E1E2", "8 A1B2", "8 B1C2", "8 C1D2", "8 D1E2"}},
		{[]string{"onitama", start, "6 C1C2"}, "bbBbb/...../...../..W../ww.ww 1 8,9 0,12 6 1", "second", "ongoing", nil},
	} {
		got := decode[analysis.Position](t, done(t, "", append([]string{"rules", "show", "--json"}, c.args...)...))[0]
		if got.Game != c.args[0] || got.Position != c.position || got.ToMove != c.toMove || got.Outcome != c.outcome {
			t.Errorf("rules show %q = %+v, want %q, %s, %s", c.args, got, c.position, c.toMove, c.outcome)
		}
		slices.Sort(got.Legal)
		if c.legal != nil && !slices.Equal(got.Legal, c.legal) {
			t.Errorf("rules show %q: legal %q, want %q", c.args, got.Legal, c.legal)
		}
	}
}

// TestRulesShowForm holds the letter of the form that scripts rely on.
func TestRulesShowForm(t *testing.T) {
	const want = `{"game":"tictactoe","position":"xxxoo....","to_move":"second","outcome":"first","legal":[]}` + "\n"
	if got := done(t, "", "rules", "show", "tictactoe", "xxxoo....", "--json"); got != want {
		t.Errorf("rules show --json prints %s, want %s", got, want)
	}
}

func TestRulesShowDealsBySeed(t *testing.T) {
	deal := func(seed string) string {
		return decode[analysis.Position](t, done(t, "", "rules", "show", "onitama", "--seed", seed, "--json"))[0].Position
	}
	one, again, other := deal("1"), deal("1"), deal("2")
	if one != again || one == other {
		t.Errorf("deals of seeds 1, 1, 2: %q, %q, %q; want the first two alike", one, again, other)
	}
}

func TestRulesShowForPeople(t *testing.T) {
	got := done(t, "", "rules", "show", "tictactoe", "xx.oo....")
	for _, want := range []string{"3 xx.", "2 oo.", "first to move: c3"} {
		if !strings.Contains(got, want) {
			t.Errorf("rules show prints %q, want %q in it", got, want)
		}
	}
}

func TestRulesList(t *testing.T) {
	type entry struct {
		Game                       string
		Version, Actions, MaxPlies int
		Planes                     []int
		Protocols                  []string
	}
	names := []string{}
	for line := range strings.Lines(done(t, "", "rules", "list", "--json")) {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Actions == 0 || len(e.Planes) != 3 || e.Protocols[0] != "text" {
			t.Errorf("rules list --json prints %+v, want actions, planes and protocols", e)
		}
		names = append(names, e.Game)
	}
	for _, want := range []string{"onitama", "tictactoe"} {
		if !slices.Contains(names, want) {
			t.Errorf("rules list --json lists %q, want %s in it", names, want)
		}
		if text := done(t, "", "rules", "list"); !strings.Contains(text, want) {
			t.Errorf("rules list prints %q, want %s in it", text, want)
		}
	}
}

// TestPerft compares with numbers that independent programs agree on.
func TestPerft(t *testing.T) {
	for _, c := range []struct {
		game, position string
		depth, want    int
	}{
		{"tictactoe", "start", 0, 1},
		{"tictactoe", "start", 9, 127872},
		{"tictactoe", "xxxoo....", 0, 1},
		{"tictactoe", "xxxoo....", 1, 0},
	} {
		checkPerft(t, c.game, c.position, c.depth, c.want)
	}
	checked := 0
	for line := range bytes.Lines(vectors(t, "onitama-perft.jsonl.gz")) {
		var v struct {
			Pos          string
			Depth, Nodes int
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if v.Nodes > 20000 || checked == 20 {
			continue
		}
		checkPerft(t, "onitama", v.Pos, v.Depth, v.Nodes)
		checked++
	}
	if checked == 0 {
		t.Error("no vector was small enough to check")
	}
}

func checkPerft(t *testing.T, game, position string, depth, want int) {
	t.Helper()
	type nodes struct{ Nodes int }
	got := decode[nodes](t, done(t, "", "rules", "perft", game, position, strconv.Itoa(depth), "--json"))[0].Nodes
	if got != want {
		t.Errorf("perft %s %q %d = %d, want %d", game, position, depth, got, want)
	}
}
