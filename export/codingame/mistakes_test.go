package codingame

import (
	"strings"
	"testing"

	"dojo.example/engine/onitama"
	"dojo.example/search/mcts"
)

// TestMistakesAreFound puts mistakes into the game's part of a bot's source. The bot's answers
// remain legal and its outputs exact, but verification finds each mistake and names it.
func TestMistakesAreFound(t *testing.T) {
	right := games["onitama"]
	t.Cleanup(func() { games["onitama"] = right })
	c := small(t)
	q := quant(t, c)
	for name, m := range map[string]struct {
		language Language
		edits    []string // pairs of a text and its replacement
		says     string
	}{
		"wrong winner in C++": {CPP, []string{"FIRST + mover : s.plies", "SECOND - mover : s.plies"}, "first has won after"},
		"wrong winner":        {Go, []string{"t.outcome = first + s.mover", "t.outcome = second - s.mover"}, " by the bot's rules"},
		"forgotten draw":      {Go, []string{"t.outcome = draw", "t.outcome = ongoing"}, "the game is a draw after"},
		"another turn":        {Go, []string{"mover: 1 - s.mover,", "mover: s.mover,"}, "is to move by the bot's rules"},
		"no threats":          {Go, []string{"func (s *state) threatened() bool {", "func (s *state) threatened() bool {\n\tif s.mover < 2 {\n\t\treturn false\n\t}"}, "strikes and threatened"},
		"wrong winner only in the tree": {Go, []string{
			"plies, mover, outcome uint8", "plies, mover, outcome, depth uint8",
			"plies: s.plies + 1,", "plies: s.plies + 1, depth: s.depth + 1,",
			"t.outcome = first + s.mover", "t.outcome = first + s.mover\n\t\tif s.depth > 0 {\n\t\t\tt.outcome = second - s.mover\n\t\t}",
		}, "but this program plays"},
	} {
		t.Run(name, func(t *testing.T) {
			wrong := right
			part := &wrong.CPP
			if m.language == Go {
				part = &wrong.Go
			}
			for i := 0; i < len(m.edits); i += 2 {
				if n := strings.Count(*part, m.edits[i]); n != 1 {
					t.Fatalf("the bot has %q %d times", m.edits[i], n)
				}
			}
			*part = strings.NewReplacer(m.edits...).Replace(*part)
			games["onitama"] = wrong
			program := compile(t, m.language, c)
			_, _, err := wrong.exact(t.Context(), program, q, 500)
			if err == nil {
				_, err = wrong.alike(t.Context(), program, written(t, m.language, c).thinker(mcts.GameOf(onitama.Classic), q))
			}
			if err == nil || !strings.Contains(err.Error(), m.says) {
				t.Errorf("the mistake is found as %v, want %q", err, m.says)
			}
		})
	}
}
