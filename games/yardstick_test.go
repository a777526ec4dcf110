package games_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/golden"
	"dojo.example/search/alphabeta"
)

// Published results measure strength against the player alphabeta@NODESn, which searches NODES
// positions. Its choices must therefore never change. With the same number of nodes, it plays the
// same moves on every machine. An engine that plays differently must get another name.
func TestYardstick(t *testing.T) {
	var text strings.Builder
	for _, name := range []string{"onitama", "oanquan", "oanquan-traditional", "patchwork", "patchwork-seven", "tictactoe", "wallonitama"} {
		game, err := games.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, 1))
		search := game.AlphaBeta()
		for range 2 {
			search.Reset()
			p := game.Start(rng)
			for ply := 0; ply < 40 && p.Outcome() == engine.Ongoing; ply++ {
				if ply%2 == 0 { // every second action is random, for variety
					legal := p.Legal(nil)
					p = p.Play(legal[rng.IntN(len(legal))])
					continue
				}
				r := search.Search(p, alphabeta.Limit{Nodes: 5000})
				fmt.Fprintf(&text, "%s\t%s\t%s\tvalue %d\tdepth %d\t%d nodes\n", name, p, p.ActionString(r.Action), r.Value, r.Depth, r.Nodes)
				p = p.Play(r.Action)
			}
		}
	}
	golden.Compare(t, "testdata/yardstick.txt", text.String())
}
