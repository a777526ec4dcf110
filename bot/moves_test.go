package bot_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo/bot"
	"dojo/engine"
	"dojo/games"
	"dojo/internal/detmath"
	"dojo/internal/golden"
	"dojo/model"
)

// lively is a model with opinions, in 8 bits.
func lively(t *testing.T, game games.Entry) *model.Checkpoint {
	t.Helper()
	n := model.Network{Channels: 16, Blocks: 2, PolicyPlanes: 4, ValuePlanes: 4, ValueFeatures: 16}.For(game.Spec)
	rng := rand.New(rand.NewPCG(7, 7))
	c := model.NewCheckpoint(model.Meta{Game: game.Name, SpecVersion: game.Version, Name: "lively"}, n, rng)
	for _, p := range n.Params() {
		x := c.Tensors[p.Name]
		scale := math.Sqrt(1.5 / float64(max(1, len(x)/p.Shape[len(p.Shape)-1])))
		for i := range x {
			x[i] = float32(detmath.Normal(rng) * scale)
		}
	}
	for i := range n.Planes.C { // as if measured
		c.Ranges = append(c.Ranges, 1+float32(i%5)/2)
	}
	for range (1 + 2*n.Blocks) * n.Channels {
		c.Ranges = append(c.Ranges, 3)
	}
	if _, err := model.NewQuant(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// walk is a position some random actions from the start.
func walk(game games.Entry, rng *rand.Rand) engine.Position {
	for {
		p := game.Start(rng)
		for range rng.IntN(12) {
			if legal := p.Legal(nil); p.Outcome() == engine.Ongoing {
				p = p.Play(legal[rng.IntN(len(legal))])
			}
		}
		if p.Outcome() == engine.Ongoing {
			return p
		}
	}
}

// The same position gives the same move at the same simulations wherever the
// model plays in 8 bits: on every processor, in the library, in an exported
// program, in WebAssembly. The moves are written down; CI compares them on every
// kind of processor.
func TestMoves(t *testing.T) {
	var moves strings.Builder
	for _, name := range []string{"onitama", "wallonitama", "oanquan", "patchwork"} {
		game, err := games.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := bot.New(lively(t, game))
		if err != nil {
			t.Fatal(err)
		}
		b.Simulations = 60
		rng := rand.New(rand.NewPCG(1, 1))
		for range 25 {
			p := walk(game, rng)
			thought, err := b.Think(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			move, err := b.Move(t.Context(), p.String())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&moves, "%s %s: %s, value %.7f\n", name, p, move, thought.Value)
		}
	}
	golden.Compare(t, "testdata/moves.txt", moves.String())
}
