package models

import (
	"os"
	"strings"
	"testing"

	"dojo/model"
)

// maxBytes bounds the file of a game.
const maxBytes = 2_500_000

// Every bot in the box is a checkpoint of its game that plays in 8 bits, and is small.
func TestBox(t *testing.T) {
	if len(Games()) < 5 {
		t.Errorf("only %v have a bot in the box", Games())
	}
	for _, game := range Games() {
		c, err := Load(game)
		if err != nil {
			t.Fatal(err)
		}
		if c.Game != game {
			t.Errorf("%s%s plays %s", game, extension, c.Game)
		}
		if _, err := c.Evaluator(model.Int8); err != nil {
			t.Errorf("%s: %v", game, err)
		}
		page, err := os.ReadFile(game + ".md")
		if err != nil || !strings.Contains(string(page), c.Hash()) {
			t.Errorf("%s.md is not the page of model %s, %v", game, c.Hash(), err)
		}
		if data, _ := files.ReadFile(game + extension); len(data) > maxBytes {
			t.Errorf("%s has %d bytes, more than %d", game, len(data), maxBytes)
		}
	}
	if c, err := Load("chess"); err == nil {
		t.Errorf("chess has the bot %s", c.Name)
	}
}
