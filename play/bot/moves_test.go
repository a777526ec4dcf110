package bot_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/detmath"
	"dojo.example/internal/golden"
	"dojo.example/model"
	"dojo.example/play/bot"
	"dojo.example/search/think"
)

// lively returns a random model that can play in 8 bits. Its outputs differ clearly from position
// to position.
func lively(t *testing.T, game games.Entry, body model.Body) *model.Checkpoint {
	t.Helper()
	n := model.Network{Body: body}.For(game.Spec)
	rng := rand.New(rand.NewPCG(7, 7))
	c := model.NewCheckpoint(model.Meta{Game: game.Name, SpecVersion: game.Version, Name: "lively"}, n, rng)
	for _, l := range n.Architecture().Layers {
		for i, p := range l.Params() {
			x := c.Tensors[p.Name]
			fan := 1.0 // number of parameters in p that affect one output: for biases, one
			if i == 0 {
				fan = fanIn(l)
			}
			for i := range x {
				x[i] = float32(detmath.Normal(rng) * math.Sqrt(1.5/fan))
			}
		}
	}
	if residual, ok := body.(model.Residual); !ok {
		var in engine.Input
		for range 200 {
			in.Append(walk(game, rng))
		}
		c.Calibrate(in)
	} else {
		for i := range n.Planes.C { // plausible ranges, used instead of a calibration
			c.Ranges = append(c.Ranges, 1+float32(i%5)/2)
		}
		for range (1 + 2*residual.Blocks) * residual.Channels {
			c.Ranges = append(c.Ranges, 3)
		}
	}
	if _, err := model.NewNet8(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// fanIn returns the number of weights that contribute to each output of a layer. In a FeatureSum
// layer only the weights of active features contribute.
func fanIn(l model.Layer) float64 {
	size := l.Params()[0].Size()
	if l.Kind == model.FeatureSum {
		return float64(l.Active)
	}
	return float64(size / l.Out.C)
}

// walk returns a position after up to 11 random actions from a start position.
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

// With the same number of simulations, an 8-bit model plays the same move everywhere: on every
// processor, in this package, in an exported program, and in WebAssembly. The moves are stored in
// testdata/moves.txt, and CI compares them on every kind of processor.
func TestMoves(t *testing.T) {
	var moves strings.Builder
	for _, body := range []model.Body{
		model.Residual{Channels: 16, Blocks: 2, PolicyPlanes: 4, ValuePlanes: 4, ValueFeatures: 16},
		model.Sparse{Columns: 64, Policy: 32, Value: 32, Hidden: 16},
	} {
		for _, name := range []string{"onitama", "wallonitama", "oanquan", "patchwork"} {
			game, err := games.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			c := lively(t, game, body)
			options, err := think.Model(c, model.Best)
			if err != nil {
				t.Fatal(err)
			}
			thinker := think.New(game.Game, options)
			b, err := bot.New(c)
			if err != nil {
				t.Fatal(err)
			}
			b.Simulations = 60
			if body.Kind() == model.KindSparse {
				name += " sparse"
			}
			rng := rand.New(rand.NewPCG(1, 1))
			for range 25 {
				p := walk(game, rng)
				if _, err := thinker.Think(t.Context(), p, think.Budget{Visits: b.Simulations}); err != nil {
					t.Fatal(err)
				}
				move, err := b.Move(t.Context(), p.String())
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&moves, "%s %s: %s, value %.7f\n", name, p, move, thinker.Search.Root().Value())
			}
		}
	}
	golden.Compare(t, "testdata/moves.txt", moves.String())
}
