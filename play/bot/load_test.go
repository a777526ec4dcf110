package bot_test

import (
	"strings"
	"testing"

	"dojo.example/play/bot"
)

// Load accepts the same names of models as the dojo command.
func TestLoad(t *testing.T) {
	b, err := bot.Load("box:tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	if move, err := b.Move(t.Context(), "xx.oo...."); err != nil || move != "c3" {
		t.Errorf("the built-in bot plays %q, %v, want c3", move, err)
	}
	for name, want := range map[string]string{"box:chess": "no model of chess", "nowhere": "model nowhere: "} {
		if _, err := bot.Load(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
