package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/internal/parallel"
	"dojo.example/model"
	"dojo.example/model/graph"
	"dojo.example/search/mcts"
)

// handmade returns the rows of a short game in which x wins with the left column. Values, outcomes
// and margins are from the point of view of First, who plays x.
func handmade(t *testing.T) []data.Row {
	t.Helper()
	game := tictactoe.Rules.Game()
	p := game.Start(nil)
	var rows []data.Row
	for ply, text := range []string{"a3", "b3", "a2", "b2", "a1"} {
		a, err := engine.ParseAction(p, text)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, data.Row{
			Ply: int32(ply), Position: p.String(), Mover: int32(p.ToMove()), Action: int32(a),
			Policy: []data.Weight{{Action: int32(a), Weight: 1}}, Value: 0.5, Outcome: 1, Margin: 7, TurnsLeft: int32(5 - ply),
		})
		p = p.Play(a)
	}
	if p.Outcome() != engine.FirstWins {
		t.Fatalf("the game at %s is not won", p)
	}
	return rows
}

// position returns the position of a row of a game of tic-tac-toe.
func position(t *testing.T, r data.Row) engine.Position {
	t.Helper()
	p, err := tictactoe.Rules.Game().Parse(r.Position)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// features is a sparse network, and planes is a residual network.
var features, planes = model.Network{Margin: 10, Body: model.Sparse{}}, model.Network{Margin: 10, Body: model.Residual{}}

// options returns the options of a run with the given game, network and share of the search's value
// in the value target.
func options(game engine.Game, n model.Network, share float32) *Options {
	return &Options{Game: mcts.Game{Game: game}, Network: n, Train: Config{SearchValueShare: share}}
}

// start appends the first position of a game, without a policy.
func (s *sampleRows) start(game engine.Game) sample {
	row, _ := s.add(game.Start(nil), nil) // cannot fail: only a policy could cause an error
	return sample{rows: s, row: row}
}

// The training targets are from the point of view of the player to move: in the winner's rows the
// target is a win, and in the loser's rows it is a loss. The search's value has the configured
// share in the target.
func TestValueTargets(t *testing.T) {
	w := newReader(options(tictactoe.Rules.Game(), features, 0.25))
	for i, r := range handmade(t) {
		s, err := w.sample(position(t, r), r)
		if err != nil {
			t.Fatal(err)
		}
		want, margin := float32(0.75*1+0.25*0.5), float32(7)
		if r.Mover == 1 {
			want, margin = -want, -margin
		}
		if s.margin != margin {
			t.Errorf("row %d of player %d aims at a margin of %v, want %v", i, r.Mover, s.margin, margin)
		}
		if s.value != want {
			t.Errorf("row %d of player %d aims at %v, want %v", i, r.Mover, s.value, want)
		}
	}
}

// A sampler draws every sample once before it draws any sample twice.
func TestSamplerDrawsWithoutReplacement(t *testing.T) {
	game := tictactoe.Rules.Game()
	var rows sampleRows
	var list []sample
	for range 48 {
		list = append(list, rows.start(game))
	}
	s := newSampler(game, features, list, rand.New(rand.NewPCG(1, 1)), parallel.NewTeam(1))
	b := graph.NewBatch(features.For(game.Spec), 16)
	for epoch := range 3 {
		var drawn []int
		for range 3 {
			s.fill(b, 16)
			for _, p := range s.picks {
				drawn = append(drawn, p.row)
			}
		}
		slices.Sort(drawn)
		if len(slices.Compact(drawn)) != 48 {
			t.Errorf("epoch %d did not draw every sample once", epoch)
		}
	}
}

func TestWindowGrows(t *testing.T) {
	c := Default()
	c.WindowMin, c.WindowGrowth, c.WindowMax = 3, 0.5, 6
	for g, want := range []int{1, 2, 3, 4, 5, 5, 6, 6, 6} {
		if got := c.window(g); got != want {
			t.Errorf("generation %d trains on %d generations, want %d", g, got, want)
		}
	}
}

// The learning rate rises during the warmup and then falls to its final value.
func TestLearningRate(t *testing.T) {
	c := Default()
	c.Generations, c.WarmupSteps, c.LearningRate, c.FinalLearningRate = 11, 10, 1e-2, 1e-3
	for _, x := range []struct {
		generation, step int
		want             float64
	}{{0, 0, 1e-3}, {0, 4, 5e-3}, {0, 9, 1e-2}, {0, 100, 1e-2}, {5, 100, 5.5e-3}, {10, 100, 1e-3}, {20, 100, 1e-3}} {
		if got := float64(c.rate(x.generation, x.step)); math.Abs(got-x.want) > 1e-6 {
			t.Errorf("rate(%d, %d) = %v, want %v", x.generation, x.step, got, x.want)
		}
	}
}

// Each position is drawn Passes times in total while it is in the window, however long the window
// is.
func TestPasses(t *testing.T) {
	game := tictactoe.Rules.Game()
	const positions, generations = 64, 12
	for _, length := range []int{1, 2, 4} {
		c := Default()
		c.WindowMin, c.WindowMax, c.Passes, c.Optimiser.Batch = length, length, 4, 16
		var rows sampleRows
		var list []sample
		drawn := make([]int, generations*positions)
		for g := range generations {
			for range positions {
				list = append(list, rows.start(game))
			}
			first := (g + 1 - c.window(g)) * positions
			s := newSampler(game, features, list[first:], rand.New(rand.NewPCG(1, uint64(g))), parallel.NewTeam(1))
			b := graph.NewBatch(features.For(game.Spec), 16)
			for range c.steps(positions) {
				s.fill(b, 16)
				for _, p := range s.picks {
					drawn[p.row]++
				}
			}
		}
		// Skip the first generations, whose positions are drawn less often, and the last ones,
		// which are still in the window.
		for i, n := range drawn[length*positions : (generations-length)*positions] {
			if n != 4 {
				t.Fatalf("with a window of %d generations position %d was drawn %d times, want %v", length, i, n, c.Passes)
			}
		}
	}
}

// A row of a batch is a symmetric image of a sample: the same symmetry has transformed the features
// or planes and the policy.
func TestFillSeesThroughSymmetries(t *testing.T) {
	for _, network := range []model.Network{features, planes} {
		game := tictactoe.Rules.Game()
		w := newReader(options(game, network, 0))
		var list []sample
		rows := handmade(t)
		for _, r := range rows {
			x, err := w.sample(position(t, r), r)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, x)
		}
		const n = 64
		b := graph.NewBatch(network.For(game.Spec), n)
		s := newSampler(game, network, list, rand.New(rand.NewPCG(1, 1)), parallel.NewTeam(3))
		s.fill(b, n)
		s.fill(b, n)
		if policy := b.Targets[0].Rows; b.Input.Rows() != n || len(policy) != len(b.Input.Legal) {
			t.Fatalf("%d rows, %d targets for %d actions", b.Input.Rows(), len(policy), len(b.Input.Legal))
		}
		seen := map[int]bool{}
		for i, p := range s.picks {
			seen[p.symmetry] = true
			compareRow(t, b, i, p.symmetry, rows[p.row])
			if got, want := b.Targets[1].Rows[i], list[p.row].value; got != want {
				t.Fatalf("row %d aims at %v, want %v", i, got, want)
			}
			if got, want := b.Targets[2].Rows[i], list[p.row].margin/10; got != want {
				t.Fatalf("row %d aims at a margin of %v, want %v", i, got, want)
			}
		}
		if len(seen) != 1+len(game.Symmetries) {
			t.Errorf("%d views were drawn, want all %d", len(seen), 1+len(game.Symmetries))
		}
	}
}

// compareRow compares row i of a batch with the image of a shard's row under the given symmetry.
func compareRow(t *testing.T, b *graph.Batch, i, symmetry int, row data.Row) {
	t.Helper()
	position, err := tictactoe.Parse(row.Position)
	if err != nil {
		t.Fatal(err)
	}
	feature, element := func(f int) int { return f }, func(e int) int { return e }
	action := func(a engine.Action) engine.Action { return a }
	if symmetry >= 0 {
		sym := tictactoe.Rules.Symmetries[symmetry]
		feature, element = func(f int) int { return int(sym.Features[f]) }, func(e int) int { return int(sym.Planes[e]) }
		action = func(a engine.Action) engine.Action { return sym.Actions[a] }
	}
	if b.Input.HasPlanes() {
		from, want := make([]float32, 18), make([]float32, 18)
		position.Encode(from)
		for e, v := range from {
			want[element(e)] = v
		}
		if got := b.Input.PlanesOf(i); !slices.Equal(got, want) {
			t.Fatalf("row %d has planes %v, want %v", i, got, want)
		}
	} else {
		var want []uint16
		for _, f := range position.Features(nil) {
			want = append(want, uint16(feature(int(f))))
		}
		if got := b.Input.FeaturesOf(i); !slices.Equal(got, want) {
			t.Fatalf("row %d has features %v, want %v", i, got, want)
		}
	}
	from, _ := b.Input.LegalRange(i, i+1)
	for j, a := range position.Legal(nil) {
		weight := float32(0)
		if int32(a) == row.Policy[0].Action {
			weight = 1
		}
		if got := b.Input.Legal[from+j]; got != action(a) || b.Targets[0].Rows[from+j] != weight {
			t.Fatalf("row %d: action %d of weight %v, want %d of %v", i, got, b.Targets[0].Rows[from+j], action(a), weight)
		}
	}
}

// If a state lists a feature with a number that is too large for its game, reading the row returns
// an error.
func TestListsOutsideTheGame(t *testing.T) {
	game := tictactoe.Rules.Game()
	game.Features = 3
	w := newReader(options(game, features, 0))
	row := handmade(t)[3]
	want := fmt.Sprintf("in %q tictactoe lists feature ", row.Position)
	if _, err := w.sample(position(t, row), row); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), ", but the numbers must be less than 3") {
		t.Errorf("a feature too many: %v", err)
	}
	w = newReader(options(game, planes, 0))
	if _, err := w.sample(position(t, row), row); err != nil {
		t.Errorf("a network that reads planes needs no features: %v", err)
	}
}

// The function bytes returns the correct size of a window's samples.
func TestWindowMemory(t *testing.T) {
	w := newReader(options(tictactoe.Rules.Game(), features, 0))
	var g generation
	for _, r := range handmade(t) {
		x, err := w.sample(position(t, r), r)
		if err != nil {
			t.Fatal(err)
		}
		g.samples = append(g.samples, x)
	}
	g.rows = []*sampleRows{w.rows}
	active, legal := len(w.rows.Features), len(w.rows.Legal)
	want := int64(2*active + 6*legal + 5*(16+2*int(unsafe.Sizeof(sample{}))))
	if got := g.bytes(); got != want || legal != 9+8+7+6+5 {
		t.Fatalf("%d features and %d actions of %d positions take %d bytes, want %d", active, legal, len(g.samples), got, want)
	}
}
