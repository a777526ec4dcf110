package bot_test

import (
	"io"
	"strings"
	"testing"

	"dojo.example/games"
	"dojo.example/play/bot"
	"dojo.example/search/think"
)

// Whatever a front end sends, each command has one answer that begins with = or ? and has no empty
// line in it.
func FuzzGTP(f *testing.F) {
	f.Add("boardsize 8\nclear_board\nplay b d3\ngenmove w\nundo\nfinal_score\nquit\n")
	f.Add("1 time_settings 1 0 0\n2 time_left b 0 0\n\n# x\n3 play w\n4 showboard\n5 list_commands\nset_game \n")
	game, err := games.ByName("othello")
	if err != nil {
		f.Fatal(err)
	}
	thinker := think.New(game.Game, think.Options{})
	f.Fuzz(func(t *testing.T, commands string) {
		var out strings.Builder
		if err := bot.AnswerGTP(t.Context(), thinker, game.Game.Game, io.LimitReader(strings.NewReader(commands), 1<<10), &out, think.Budget{Visits: 2}, false); err != nil {
			t.Fatal(err)
		}
		text, ok := strings.CutSuffix(out.String(), "\n\n")
		if out.Len() > 0 && !ok {
			t.Fatalf("%q is answered by %q", commands, out.String())
		}
		for answer := range strings.SplitSeq(text, "\n\n") {
			if answer != "" && answer[0] != '=' && answer[0] != '?' {
				t.Fatalf("%q has the answer %q", commands, answer)
			}
		}
	})
}
