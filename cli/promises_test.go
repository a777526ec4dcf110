package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/games"
)

// A counter is a state of a test game: eight numbers form a circle, and the player to move either
// advances to the next number or gives up. flaw says which promise of engine.State the game breaks.
type counter struct {
	n    uint8
	lost bool // whether the player to move has given up
	flaw
}

type flaw uint8

const (
	none    flaw = iota
	circles      // giving up always loses, so perfect players play forever
	over         // each game is over from the start
	often        // every second game is over from the start
	stuck        // at number 5, no action is legal
	outside      // at number 5, a legal action is outside the game's range
	falling      // at number 5, the legal actions are in decreasing order
)

var flaws = []string{"none", "circles", "over", "often", "stuck", "outside", "falling"}

func (s counter) ToMove() engine.Player { return engine.Player(s.n % 2) }

func (s counter) Outcome() engine.Outcome {
	switch {
	case s.lost:
		return engine.WonBy(1 - s.ToMove())
	case s.n == 7 && s.flaw != circles:
		return engine.Draw
	}
	return engine.Ongoing
}

func (s counter) Legal(dst []engine.Action) []engine.Action {
	switch {
	case s.n == 5 && s.flaw == stuck:
		return dst
	case s.n == 5 && s.flaw == outside:
		return append(dst, 0, 1, 70)
	case s.n == 5 && s.flaw == falling:
		return append(dst, 1, 0)
	}
	return append(dst, 0, 1)
}

func (s counter) Play(a engine.Action) counter {
	if s.lost = a == 1; !s.lost {
		s.n = (s.n + 1) % 8
	}
	return s
}

func (s counter) Encode(planes []float32) {
	clear(planes)
	planes[s.n] = 1
	if s.lost {
		planes[8] = 1
	}
}

func (s counter) ActionString(a engine.Action) string { return fmt.Sprintf("action-%d", a) }

func (s counter) String() string { return fmt.Sprintf("%d,%t", s.n, s.lost) }

// registerCounters registers one game per flaw, with the flaw as its name.
func registerCounters(t *testing.T) {
	known := games.All
	t.Cleanup(func() { games.All = known })
	for i, name := range flaws {
		games.Register(engine.Rules[counter]{
			Spec: engine.Spec{Name: name, Version: 1, Actions: 2, Planes: engine.Shape{C: 1, H: 1, W: 9}, MaxPlies: 40},
			Start: func(rng *rand.Rand) counter {
				return counter{flaw: flaw(i), lost: flaw(i) == over || flaw(i) == often && rng.IntN(2) == 0}
			},
			Parse: func(text string) (s counter, err error) {
				s.flaw = flaw(i)
				_, err = fmt.Sscanf(text, "%d,%t", &s.n, &s.lost)
				return s, err
			},
		})
	}
}

// counterPreset writes a preset for a short run of a game and returns its path.
func counterPreset(t *testing.T, game string) string {
	path := filepath.Join(t.TempDir(), "preset.yaml")
	text := "game: " + game + `
network:
  kind: sparse
mcts:
  simulations: 24
selfplay:
  games: 16
  shard_games: 8
  temperature_plies: 0
train:
  generations: 1
  optimiser:
    batch: 16
gate:
  games: 2
  simulations: 8
  opening_plies: 1
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// If a game breaks a promise of package engine, every verb fails with one line that names the game
// and the mistake. Exception: a game can be played even if its start positions are often already
// over.
func TestBrokenGames(t *testing.T) {
	registerCounters(t)
	const endless = "oanquan:max_plies=0"
	const (
		long    = "is not over after 40 plies"
		begun   = "in which the game is already over"
		no      = "no legal action"
		beyond  = "action 70"
		order   = "not in increasing order"
		noLimit = "has no limit of plies, so programs"
	)
	for _, c := range []struct {
		game, says string
		verbs      []string // command lines; the words PRESET and MODEL stand for files
	}{
		{"circles", long, []string{
			"train PRESET --run OUT", "preset GAME --for 10s", "match alphabeta:3 alphabeta:3 --game GAME --games 2",
			"match mcts:50 mcts:50 --game GAME --games 2", "match MODEL:50 alphabeta:3 --games 2", "play GAME --first alphabeta:3 --second alphabeta:3",
			"evaluate --player alphabeta:3 --against mcts:50 --game GAME --games 2",
		}},
		{endless, noLimit, []string{
			"train PRESET --run OUT", "preset GAME --for 10s", "match alphabeta:2 alphabeta:2 --game GAME", "match random random --game GAME --openings 0",
			"evaluate --player alphabeta:2 --against random --game GAME", "play GAME --first random --second random", "solve GAME --sample 1 --json",
		}},
		{"over", begun, []string{
			"train PRESET --run OUT", "preset GAME --for 10s", "match random random --game GAME", "play GAME", "rules show GAME",
			"solve GAME --sample 1 --json",
		}},
		{"stuck", no, []string{
			"train PRESET --run OUT", "preset GAME --for 10s", "match alphabeta:2 alphabeta:2 --game GAME", "match mcts:9 mcts:9 --game GAME", "match greedy greedy --game GAME",
			"play GAME --position 5,false --second random", "analyse MODEL 5,false --simulations 9", "distil MODEL -o OUT --positions 500", "solve GAME --sample 1 --json",
		}},
		{"outside", beyond, []string{"train PRESET --run OUT", "preset GAME --for 10s", "match random mcts:9 --game GAME", "match greedy greedy --game GAME"}},
		{"falling", order, []string{"train PRESET --run OUT", "preset GAME --for 10s", "match alphabeta:2 alphabeta:2 --game GAME", "match greedy greedy --game GAME"}},
		{"often", "", []string{"train PRESET --run OUT", "match mcts:9 random --game GAME --games 10", "play GAME --first random --second random", "rules show GAME --seed 4"}},
		{"none", "", []string{"train PRESET --run OUT", "match mcts:9 random --game GAME --games 10"}},
		{endless, "", []string{"play GAME --second random", "rules show GAME"}},
	} {
		for _, verb := range c.verbs {
			t.Run(c.game+"/"+verb, func(t *testing.T) {
				args := strings.Fields(strings.ReplaceAll(verb, "GAME", c.game))
				for word, file := range map[string]func() string{
					"PRESET": func() string { return counterPreset(t, c.game) },
					"MODEL":  func() string { return checkpoint(t, c.game) },
					"OUT":    func() string { return filepath.Join(t.TempDir(), "out") },
				} {
					for i, arg := range args {
						if strings.HasPrefix(arg, word) {
							args[i] = file() + strings.TrimPrefix(arg, word)
						}
					}
				}
				r := dojo(t, "", args...)
				if c.says == "" {
					if r.status != exitDone {
						t.Errorf("status %d: %s", r.status, r.stderr)
					}
					return
				}
				last := strings.TrimSpace(r.stderr)
				last = last[strings.LastIndexByte(last, '\n')+1:]
				if r.status != exitFailed || !strings.Contains(last, "game "+c.game) || !strings.Contains(last, c.says) {
					t.Errorf("status %d, want an error that says %q; it says %q", r.status, c.says, last)
				}
			})
		}
	}
}
