package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/games"
	"dojo.example/play"
)

// typed runs play with lines typed at the prompt.
func typed(t *testing.T, lines []string, args ...string) string {
	t.Helper()
	return done(t, strings.Join(lines, "\n")+"\n", append([]string{"play"}, args...)...)
}

func TestPlayHumans(t *testing.T) {
	out := typed(t, []string{"a3", "1", "a2", "moves", "B2", "a1"}, "tictactoe", "--second", "human")
	for _, want := range []string{"  1  ", "The game is over: first wins (human).", "3 xo.\n2 xo.\n1 x.."} {
		if !strings.Contains(out, want) {
			t.Errorf("the game shows %q, want %q in it", out, want)
		}
	}
}

// TestPlayLosesNothing types what cannot be obeyed, and then plays on.
func TestPlayLosesNothing(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	for typo, want := range map[string]string{
		"zz":              `"zz" is not a legal action`,
		"99":              `"99" is not a legal action`,
		"b":               `did you mean`,
		"moves b":         "not in groups",
		"save":            "which file?",
		"load " + missing: "no such file",
		"undo":            "nothing to take back",
		"  ":              "first> ",
		"a3 b3":           "more than your turn",
	} {
		out := typed(t, []string{typo, "a3", "moves"}, "tictactoe", "--second", "human")
		if !strings.Contains(out, want) || !strings.Contains(out, "3 x..") {
			t.Errorf("typing %q and then a3 shows %q, want %q and the board after a3", typo, out, want)
		}
	}
}

// TestPlayWords types the short forms, and what begins a game anew.
func TestPlayWords(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  []string
		not   string
	}{
		{[]string{"?", "q", "a3"}, []string{"quit, q"}, "3 x.."},
		{[]string{"b2", "new", "a3"}, []string{"2 .x.", "3 x..\n2 ...\n1 ..."}, ""},
		{[]string{"new", "undo", "undo"}, []string{"nothing to take back"}, ""},
		{[]string{"b2", "position xo.......", "a1", "undo", "undo"}, []string{"3 xo.\n2 ...\n1 x..", "3 ...\n2 .x.\n1 ...\n  abc\nsecond> \n"}, "nothing to take back"},
		{[]string{"a3", "b3", "a1", "b1", "a"}, []string{"first wins"}, ""}, // a2, the only one with an a
	} {
		out := typed(t, c.lines, "tictactoe", "--second", "human")
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("typing %q does not show %q:\n%s", c.lines, want, out)
			}
		}
		if c.not != "" && strings.Contains(out, c.not) {
			t.Errorf("typing %q shows %q:\n%s", c.lines, c.not, out)
		}
	}
}

// Patchwork's hundreds of moves are shown by patch and picture, on lines that
// fit, and with all their names patch by patch.
func TestPlayGroups(t *testing.T) {
	const circle = "agCUfNYReZFKdMBTLHXWDOVEISGbQcPJA"
	out := typed(t, []string{"moves"}, "patchwork", "--second", "human", "--position", circle)
	_, out, _ = strings.Cut(out, "first> ")
	for _, want := range []string{"  .  plays .", "  a  ", "costs 4, time 2, income 1", "       ##\n", "moves a"} {
		if !strings.Contains(out, want) {
			t.Errorf("moves does not show %q:\n%s", want, out)
		}
	}
	if n := strings.Count(out, "\n"); n > 30 {
		t.Errorf("moves shows %d lines", n)
	}
	out = typed(t, []string{"moves a", "moves z"}, "patchwork", "--second", "human", "--position", circle)
	for _, want := range []string{" aAAA ", "  A\n     #\n     #\n     ##\n", `no group "z"`} {
		if !strings.Contains(out, want) {
			t.Errorf("moves a does not show %q:\n%s", want, out)
		}
	}
	for line := range strings.Lines(out) {
		if len(line) > 81 {
			t.Errorf("the line %q does not fit", line)
		}
	}
}

func TestPlayAgainstModel(t *testing.T) {
	model := checkpoint(t, "tictactoe")
	out := typed(t, []string{"b2", "undo", "hint", "a3", "quit"}, "tictactoe", model, "--simulations", "30")
	if n := strings.Count(out, "second (model) plays"); n != 2 {
		t.Errorf("the model played %d times, want 2:\n%s", n, out)
	}
	if !strings.Contains(out, "prior") || !strings.Contains(out, "30 simulations by the model") || strings.Contains(out, "no model judges") {
		t.Errorf("the hint does not show a search of 30 simulations:\n%s", out)
	}
	out = typed(t, []string{"quit"}, "tictactoe", model, "--first", model, "--second", "human", "--simulations", "5")
	if n := strings.Count(out, "first ("); n != 1 {
		t.Errorf("the model as first played %d times, want 1:\n%s", n, out)
	}
}

func TestPlayWithoutHumansEnds(t *testing.T) {
	out := typed(t, nil, "tictactoe", "--first", "random", "--second", "greedy")
	if !strings.Contains(out, "The game is over") {
		t.Errorf("two players of the program do not finish:\n%s", out)
	}
}

// People begin with the usual start of a game, and with what self-play deals if they ask for it.
func TestPlayBegins(t *testing.T) {
	const usual = "10,5,5,5,5,5,10,5,5,5,5,5 0,0 2 11 0"
	for _, c := range []struct {
		args  []string
		usual bool
	}{
		{nil, true},
		{[]string{"--position", "usual", "--seed", "2"}, true},
		{[]string{"--seed", "2"}, false},
		{[]string{"--position", "start", "--seed", "2"}, false},
	} {
		path := filepath.Join(t.TempDir(), "game.txt")
		typed(t, []string{"new", "save " + path}, append([]string{"oanquan", "--second", "human"}, c.args...)...)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if begins := strings.Contains(string(text), usual); begins != c.usual {
			t.Errorf("play oanquan %q begins with the usual start: %v, want %v:\n%s", c.args, begins, c.usual, text)
		}
	}
}

func TestPlayHintsWithoutModel(t *testing.T) {
	out := typed(t, []string{"hint"}, "oanquan-traditional", "--second", "human", "--simulations", "200", "--seed", "1") // some deals are won at once
	if !strings.Contains(out, "200 simulations") || !strings.Contains(out, "no model judges") {
		t.Errorf("in a game without a bot in the box the hint shows:\n%s", out)
	}
}

// TestPlaySaveLoad saves a game, and loads it; a broken file changes nothing.
func TestPlaySaveLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "my game.txt")
	typed(t, []string{"a3", "b2", "save " + path}, "tictactoe", "--second", "human")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "# dojo: a game of tictactoe\n.........\na3\nb2\n"; string(text) != want {
		t.Errorf("the saved game is %q, want %q", text, want)
	}
	out := typed(t, []string{"load " + path, "c1", "undo", "undo"}, "tictactoe", "--second", "human")
	boards := strings.Split(out, "3 ")[1:]
	for i, want := range []string{"...", "x..\n2 .o.\n1 ...", "x..\n2 .o.\n1 ..x", "x..\n2 .o.\n1 ...", "x..\n2 ..."} {
		if i >= len(boards) || !strings.HasPrefix(boards[i], want) {
			t.Fatalf("board %d is not %q:\n%s", i, want, out)
		}
	}
	for name, bad := range map[string]string{
		"no game":       "hello",
		"empty":         "# nothing\n",
		"another game":  "# dojo: a game of onitama\n.........\n",
		"illegal":       ".........\na3\na3\n",
		"after the end": "xxxoo....\nc1\n",
	} {
		if err := os.WriteFile(path, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		out := typed(t, []string{"a3", "load " + path, "b3"}, "tictactoe", "--second", "human")
		if !strings.Contains(out, "3 xo.") || strings.Contains(out, "loaded") {
			t.Errorf("loading a file that is %s changes the game:\n%s", name, out)
		}
	}
}

// Each game is read in its own notation: a record on one line, whole turns, a
// set-up; and what is wrong with an action is said in its terms.
func TestPlayNotations(t *testing.T) {
	const (
		circle = "agCUfNYReZFKdMBTLHXWDOVEISGbQcPJA"
		wall   = "bbBbb/...../W..../...../aaAaa A 50 .......x....o............ .......x....o............ .......x....o............ .......x....o............ .......x....o............ pawn"
	)
	path := filepath.Join(t.TempDir(), "record")
	if err := os.WriteFile(path, []byte(circle+" aAAD."), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		game, start string
		lines, want []string
	}{
		{"patchwork", circle, []string{"load " + path, "undo", "undo"}, []string{"loaded", "second square"}},
		{"patchwork", circle, []string{"hAAA", "AAAA", "aJJA", "aA"}, []string{"no special patch", "not on offer", "names no square", "neither patch, column"}},
		{"wallonitama", wall, []string{"1e1d1u", "b1"}, []string{"second to move a pawn, 49 turns left"}},
		{"wallonitama", wall, []string{"1e1d1", "x", "rules", "undo"}, []string{"first to move the wall", "the wall is due", "# Onitama with a wall"}},
		{"wallonitama", wall, []string{"1e1d1s1a1b1s", "1d1c1", "1e1e2"}, []string{"more than your turn", "no pawn of yours stands on d1", "card 1 has no such step"}},
		{"oanquan", "start", []string{"position 10,5,5,5,5,5,10,5,5,5,5,5 0,0 2", "Move.of(10,1)", "8+"}, []string{"does not belong to second"}},
		{"onitama", "start", []string{"position bbBbb/...../...../...../wwWww 0 8,6 0,12 9", "rules"}, []string{"wwWww 0 8,6 0,12 9", "# Onitama", "## The end", "## Text"}},
	} {
		out := typed(t, append(c.lines, "quit"), c.game, "--second", "human", "--position", c.start)
		if strings.Contains(out, "network sees") || strings.Contains(out, "CodinGame's input") {
			t.Errorf("%s: the rules tell a player what a program reads:\n%s", c.game, out)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: typing %q does not show %q:\n%s", c.game, c.lines, want, out)
			}
		}
	}
}

// A game of another module shows its title and its rules, or says that it states none.
func TestPlayShowsTheRulesOfARegisteredGame(t *testing.T) {
	known := games.All
	t.Cleanup(func() { games.All = known })
	for _, c := range []struct {
		name  string
		about engine.About
		wants []string
	}{
		{"noughts", engine.About{Title: "Noughts and Crosses", Text: "Three in a row win.\n\n# In detail\n\n## Text\n\nNine squares."}, []string{"# Noughts and Crosses\n\nThree in a row win.", "## Text\n\nNine squares."}},
		{"silent", engine.About{}, []string{"game silent states no text of its rules"}},
	} {
		rules := tictactoe.Rules
		rules.Name, rules.English, rules.Vietnamese = c.name, c.about, engine.About{}
		games.Register(rules)
		out := typed(t, []string{"rules", "quit"}, c.name, "--second", "human")
		for _, want := range c.wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the rules are\n%s\nwant %q", c.name, out, want)
			}
		}
	}
	if out := done(t, "", "rules", "list"); !strings.Contains(out, "Noughts and Crosses") || !strings.Contains(out, "Silent") {
		t.Errorf("the list of games has not their titles:\n%s", out)
	}
}

// TestPlayLoadsFilesAlone loads a device, a folder and a file too large for a
// game: each is refused, and the game goes on.
func TestPlayLoadsFilesAlone(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, play.MaxBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		os.DevNull: "no regular file but a device",
		dir:        "no regular file but a folder",
		large:      "longer than",
	} {
		out := typed(t, []string{"load " + path, "a3"}, "tictactoe", "--second", "human")
		if !strings.Contains(out, want) || !strings.Contains(out, "3 x..") {
			t.Errorf("load %s does not say %q and go on:\n%s", path, want, out)
		}
	}
}
