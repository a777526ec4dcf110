package play_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/games"
	"dojo.example/play"
)

var rules = tictactoe.Rules.Game()

func at(t *testing.T, text string) engine.Position {
	t.Helper()
	p, err := rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Find accepts the name of an action in upper or lower case, the number of an action, or a whole
// turn. If Find cannot find an action, its error explains why.
func TestFind(t *testing.T) {
	p := at(t, ".........")
	for _, text := range []string{"b2", "B2", "5", " b2 "} {
		if got, err := play.Find(p, text); err != nil || len(got) != 1 || p.ActionString(got[0]) != "b2" {
			t.Errorf("Find(%q) = %v, %v; want b2", text, got, err)
		}
	}
	for text, says := range map[string]string{"b": "did you mean", "zz": "not a legal action", "10": "not a legal action", "a3 b3": "your turn ends"} {
		if got, err := play.Find(p, text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Find(%q) = %v, %v; want an error with %q", text, got, err, says)
		}
	}
	p = at(t, "xo.xo....")
	// The text "2" is a part of some names, but Find interprets it as a number.
	for text, name := range map[string]string{"a": "a1", "2": "c2"} {
		if got, err := play.Find(p, text); err != nil || p.ActionString(got[0]) != name {
			t.Errorf("in %s, Find(%q) = %v, %v; want %s", p, text, got, err, name)
		}
	}
	if _, err := play.Find(at(t, "xxxoo...."), "c1"); err == nil || !strings.Contains(err.Error(), "after the end") {
		t.Errorf("after the end: %v", err)
	}
}

// Read loads a saved game, and Undo can undo its actions one by one.
func TestRecord(t *testing.T) {
	g := play.New(rules, at(t, "........."))
	for _, text := range []string{"a3", "b2", "c1"} {
		actions, err := play.Find(g.Now(), text)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(actions...)
	}
	const want = "# dojo: a game of tictactoe\n.........\na3\nb2\nc1\n"
	if got := g.String(); got != want {
		t.Errorf("the record is %q, want %q", got, want)
	}
	read, err := play.Read(rules, want)
	if err != nil || read.Now() != g.Now() || len(read.Actions) != 3 {
		t.Errorf("Read gives %v, %v", read, err)
	}
	first := func(p engine.Player) bool { return p == engine.First }
	if !read.Undo(first) || len(read.Actions) != 2 || !read.Undo(first) || len(read.Actions) != 0 || read.Undo(first) {
		t.Errorf("after taking back twice %v is left", read.Actions)
	}
}

// For every game, Read restores a saved game with all its actions.
func TestRecordOfEachGame(t *testing.T) {
	for _, game := range games.All {
		rng := rand.New(rand.NewPCG(1, 2))
		g := play.New(game.Game.Game, game.Start(rng))
		for len(g.Actions) < 6 && !g.Over() {
			legal := g.Now().Legal(nil)
			g.Play(legal[rng.IntN(len(legal))])
		}
		read, err := play.Read(game.Game.Game, g.String())
		if err != nil || len(read.Actions) != len(g.Actions) || read.Now() != g.Now() {
			t.Errorf("%s: %d of %d actions are read back from\n%s%v", game.Name, len(read.Actions), len(g.Actions), g.String(), err)
		}
	}
}

// In Patchwork, the first word of a position is also a valid position by itself. If the rest of the
// position contains an error, Read must report this error. It must not parse the first word as the
// position and the rest as actions.
func TestReadWrongPosition(t *testing.T) {
	entry, err := games.ByName("patchwork")
	if err != nil {
		t.Fatal(err)
	}
	const behind = "MOHVeSZEXaKPNfbFCdLQJRBUTYIWADGcg 4:4:0:0/0/0/0/10/0/0/0/0 0:5:0:0/0/0/0/0/0/0/0/0 1 0 -"
	if _, err := play.Read(entry.Game.Game, behind); err == nil || !strings.Contains(err.Error(), "second is further back") {
		t.Errorf("Read says %v", err)
	}
}

// Undo returns to a replaced game when there are no more actions to undo.
func TestUndoReplace(t *testing.T) {
	g := play.New(rules, at(t, "........."))
	g.Play(0)
	g.Replace(play.New(rules, at(t, "xo.......")))
	g.Play(2)
	anybody := func(engine.Player) bool { return true }
	for _, want := range []string{"xo.......", "x........", "........."} {
		if ok := g.Undo(anybody); !ok || g.Now().String() != want {
			t.Errorf("undo: %v, at %s, want %s", ok, g.Now(), want)
		}
	}
	if g.Undo(anybody) {
		t.Error("more was taken back than was played")
	}
}

// Follow plays the named actions, and Show returns all positions. If an action cannot be played,
// the error of Follow names it.
func TestFollow(t *testing.T) {
	g, err := play.Follow(rules, ".........", []string{"a3", "b2"})
	if err != nil {
		t.Fatal(err)
	}
	shown := g.Show()
	if len(shown) != 3 || shown[0].Move != "" || shown[1].Move != "a3" || shown[2].Position != "x...o...." || len(shown[2].Legal) != 7 {
		t.Errorf("the game is shown as %+v", shown)
	}
	for _, c := range []struct {
		position string
		actions  []string
		says     string
	}{
		{"....", nil, "...."},
		{".........", []string{"a3", "a3"}, "action 2"},
		{"xxx.oo...", []string{"c1"}, "after the end"},
	} {
		if _, err := play.Follow(rules, c.position, c.actions); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("following %v from %s: %v, want an error with %q", c.actions, c.position, err, c.says)
		}
	}
}
