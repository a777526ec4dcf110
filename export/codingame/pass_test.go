package codingame

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dojo.example/engine/enginetest"
)

// If a player has to pass, the programs choose one of the cards that the referee offers. The test
// uses recorded games, because players hardly ever have to pass in games of random actions.
func TestPass(t *testing.T) {
	type game struct {
		Turns []struct {
			Player int
			In     []string
		}
	}
	c, passes := small(t), 0
	programs := []string{compile(t, CPP, c), compile(t, Go, c)}
	t.Chdir("../../engine/onitama")
	for _, g := range enginetest.Vectors[game](t, "codingame-transcripts.jsonl.gz") {
		for i, turn := range g.Turns {
			n := slices.IndexFunc(turn.In, func(line string) bool { return strings.HasSuffix(line, "PASS") })
			if n < 0 {
				continue
			}
			passes++
			// The test starts the program in the middle of the game, at this turn. The input of a
			// program's first turn must begin with the player's number.
			if i > 1 {
				turn.In = append([]string{strconv.Itoa(turn.Player)}, turn.In...)
				n++
			}
			for _, program := range programs {
				err := talk(t.Context(), program, []string{"32"}, func(bot *conversation) error {
					answer, _, err := bot.ask(strings.Join(turn.In, "\n") + "\n")
					if err == nil && !slices.Contains(turn.In[n:], answer) {
						err = fmt.Errorf("the answer %q is none of %q", answer, turn.In[n:])
					}
					return err
				})
				if err != nil {
					t.Errorf("%q: %v", turn.In, err)
				}
			}
			break // one pass per game is enough
		}
	}
	if passes == 0 {
		t.Error("nobody passes")
	}
}
