package bot_test

import (
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/play/bot"
	"dojo.example/search/think"
)

// A bot answers with the line that the protocol's function Reply returns.
func TestAnswersAreReplies(t *testing.T) {
	tictactoe, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	p, err := tictactoe.Protocol(engine.TextProtocol)
	if err != nil {
		t.Fatal(err)
	}
	p.Reply = func(p engine.Position, a engine.Action) string { return "PLAY " + p.ActionString(a) }
	var out strings.Builder
	thinker, budget := think.New(tictactoe.Game, think.Options{}), think.Budget{Visits: 200}
	err = bot.Answer(t.Context(), thinker, p, strings.NewReader("xx.oo....\n"), &out, budget, budget)
	if err != nil || out.String() != "PLAY c3\n" {
		t.Errorf("the bot answers %q, %v; want PLAY c3", out.String(), err)
	}
}
