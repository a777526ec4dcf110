package bot_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/othello"
	"dojo.example/games"
	"dojo.example/play/bot"
	"dojo.example/search/think"
)

// converse sends commands to a bot for Othello that searches with playouts, and returns the bot's
// answers.
func converse(t *testing.T, commands string, timed bool) []string {
	t.Helper()
	game, err := games.ByName("othello")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	thinker := think.New(game.Game, think.Options{})
	if err := bot.AnswerGTP(t.Context(), thinker, game.Game.Game, strings.NewReader(commands), &out, think.Budget{Visits: 20}, timed); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n\n"), "\n\n")
}

// The bot answers each command. An answer ends with an empty line.
func TestGTPAnswers(t *testing.T) {
	commands := []string{
		"protocol_version", "= 2",
		"7 name", "=7 dojo",
		"known_command undo", "= true",
		"12 known_command loadsgf", "=12 false",
		"loadsgf game.sgf", "? unknown command",
		"list_games", "= Othello",
		"set_game othello", "= ",
		"set_game Go", `? unsupported game "Go"; this program plays Othello`,
		"boardsize 8", "= ",
		"boardsize 10", `? unacceptable size "10"; Othello has the size 8`,
		"boardsize", `? unacceptable size ""; Othello has the size 8`,
		"clear_board", "= ",
		"komi 0", "= ",
		"play black d3", "= ",
		"play\tW  C5 # a comment", "= ",
		"undo", "= ",
		"play black e3", "? illegal move: it is the turn of white",
		"play white a1", `? illegal move: "a1" is not a legal move in "......../......../...x..../...xx.../...xo.../......../......../........ second"`,
		"play red c5", `? "red" is neither black nor white`,
		"play white", "? syntax error: want play COLOUR MOVE",
		"genmove black", "? illegal move: it is the turn of white",
		"genmove", `? "" is neither black nor white`,
		"final_score", "? cannot score: the game is not over",
		"showboard", "= \n  a b c d e f g h\n1 . . . . . . . .\n2 . . . . . . . .\n3 . . * x * . . .\n4 . . . x x . . .\n5 . . * x o . . .\n6 . . . . . . . .\n7 . . . . . . . .\n8 . . . . . . . .",
		"undo", "= ",
		"undo", "? cannot undo",
		"time_settings 60 10 3", "= ",
		"time_settings 60", "? syntax error: want 3 numbers",
		"time_settings a b c", `? syntax error: "a" is not a number from 0 to 31536000`,
		"time_left black 50 0", "= ",
		"time_left", `? "" is neither black nor white`,
		"quit", "= ",
	}
	var input, want []string
	for i := 0; i < len(commands); i += 2 {
		input, want = append(input, commands[i]), append(want, commands[i+1])
	}
	got := converse(t, "# hello\n\n"+strings.Join(input, "\r\n")+"\nname\n", false)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("answer %d to %q is %q, want %q", i, input[min(i, len(input)-1)], got[min(i, len(got)-1)], want[min(i, len(want)-1)])
		}
	}
}

// All commands that list_commands names are known, and the list has the commands that every GTP
// program must know.
func TestGTPCommands(t *testing.T) {
	list := strings.Split(strings.TrimPrefix(converse(t, "list_commands\n", false)[0], "= "), "\n")
	required := "protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove"
	for _, name := range append(strings.Fields(required), list...) {
		if got := converse(t, "known_command "+name+"\n", false)[0]; got != "= true" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The bot follows whole games of a front end that skips forced passes, and of a front end that sends
// them. The final score is the difference in discs.
func TestGTPGames(t *testing.T) {
	passes := 0
	for seed := range uint64(40) {
		rng, sendsPasses := rand.New(rand.NewPCG(seed, 0)), seed%2 == 0
		var commands strings.Builder
		p := othello.Rules.Game().Start(nil)
		commands.WriteString("clear_board\n")
		want := []string{"= "}
		for p.Outcome() == engine.Ongoing {
			legal := p.Legal(nil)
			a := legal[rng.IntN(len(legal))]
			colour, name := engine.GTPColour(p.ToMove()), p.ActionString(a)
			if name == "pass" {
				passes++
			}
			switch {
			case name != "pass":
				fmt.Fprintf(&commands, "play %s %s\n", colour, strings.ToUpper(name))
				want = append(want, "= ")
			case sendsPasses:
				fmt.Fprintf(&commands, "reg_genmove %s\nplay %s PASS\n", colour, colour)
				want = append(want, "= PASS", "= ")
			}
			p = p.Play(a)
		}
		points := engine.ScoreOf(p.State())
		score := "= 0"
		if lead := points[0] - points[1]; lead > 0 {
			score = fmt.Sprintf("= B+%d", lead)
		} else if lead < 0 {
			score = fmt.Sprintf("= W+%d", -lead)
		}
		got := converse(t, commands.String()+"final_score\ngenmove black\n", false)
		if want = append(want, score, "? illegal move: the game is over"); !slices.Equal(got, want) {
			t.Fatalf("passes sent %v: the answers are %q, want %q", sendsPasses, got, want)
		}
	}
	if passes < 20 {
		t.Errorf("the games have only %d passes", passes)
	}
}

// genmove plays a legal move, and reg_genmove returns one without playing it.
func TestGTPGenmove(t *testing.T) {
	got := converse(t, "reg_genmove b\ngenmove b\ngenmove white\nundo\nundo\ngenmove b\n", false)
	for i, line := range got {
		if ok := regexp.MustCompile(`^= [A-H][1-8]$`).MatchString(line); ok != (i != 3 && i != 4) {
			t.Errorf("answer %d is %q", i, line)
		}
	}
}
