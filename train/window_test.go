package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"dojo/data"
	"dojo/engine"
	"dojo/engine/tictactoe"
	"dojo/model"
	"dojo/model/graph"
)

// handmade is a short game: x wins by the left column. Only First's moves are
// weighed in its policy, so that a mistake of side shows.
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

// Targets are the mover's: the winner's rows aim at a win, the loser's at a
// loss, and the search's value counts with its share.
func TestValueTargets(t *testing.T) {
	w := newReader(newWindow(tictactoe.Rules.Game(), 0.25, origin{}))
	for i, r := range handmade(t) {
		s, err := w.sample(r)
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

// A filled row is a symmetric image of its sample: the planes are permuted
// like the policy, and illegal actions are marked.
func TestFillSeesThroughSymmetries(t *testing.T) {
	game := tictactoe.Rules.Game()
	w := newReader(newWindow(game, 0, origin{}))
	var samples []sample
	for _, r := range handmade(t) {
		s, err := w.sample(r)
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, s)
	}
	const n = 64
	b := graph.NewBatch(model.Network{Margin: 10}.For(game.Spec), n)
	s := newSampler(game, samples, rand.New(rand.NewPCG(1, 1)), 3)
	s.fill(b)
	seen := map[int]bool{}
	for i, p := range s.picks {
		seen[p.symmetry] = true
		x := samples[p.sample]
		planes, policy := b.Planes[i*18:(i+1)*18], b.Targets[0].Rows[i*9:(i+1)*9]
		for j, want := range []float32{x.value, x.margin / 10} {
			if target := b.Targets[1+j]; target.Rows[i] != want {
				t.Fatalf("row %d: the %s aims at %v, want %v", i, target.Name, target.Rows[i], want)
			}
		}
		for cell := range 9 {
			taken := planes[2*cell] != 0 || planes[2*cell+1] != 0
			if taken != (policy[cell] == illegal) {
				t.Fatalf("row %d: cell %d is taken: %v, but its policy target is %v", i, cell, taken, policy[cell])
			}
		}
		to := int(x.policy[0].Action)
		if p.symmetry >= 0 {
			to = int(game.Symmetries[p.symmetry].Actions[to])
		}
		if policy[to] != 1 {
			t.Fatalf("row %d: the action played has weight %v after symmetry %d", i, policy[to], p.symmetry)
		}
	}
	if len(seen) != 1+len(game.Symmetries) {
		t.Errorf("%d views were drawn in %d rows, want all %d", len(seen), n, 1+len(game.Symmetries))
	}
}

// Every sample is drawn once before any is drawn twice.
func TestSamplerDrawsWithoutReplacement(t *testing.T) {
	game := tictactoe.Rules.Game()
	samples := make([]sample, 48)
	for i := range samples {
		samples[i] = sample{position: game.Start(nil)}
	}
	s := newSampler(game, samples, rand.New(rand.NewPCG(1, 1)), 1)
	b := graph.NewBatch(model.DefaultNetwork().For(game.Spec), 16)
	for epoch := range 3 {
		var drawn []int
		for range 3 {
			s.fill(b)
			for _, p := range s.picks {
				drawn = append(drawn, p.sample)
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

// The rate warms up by steps, then falls to its final value.
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

// Passes is how often a position is drawn while it is in the window, whatever
// the window's length.
func TestPasses(t *testing.T) {
	game := tictactoe.Rules.Game()
	const positions, generations = 64, 12
	for _, length := range []int{1, 2, 4} {
		c := Default()
		c.WindowMin, c.WindowMax, c.Passes, c.Optimiser.Batch = length, length, 4, 16
		var samples []sample
		drawn := make([]int, generations*positions)
		for g := range generations {
			for range positions {
				samples = append(samples, sample{position: game.Start(nil)})
			}
			first := (g + 1 - c.window(g)) * positions
			s := newSampler(game, samples[first:], rand.New(rand.NewPCG(1, uint64(g))), 1)
			b := graph.NewBatch(model.DefaultNetwork().For(game.Spec), 16)
			for range c.steps(positions) {
				s.fill(b)
				for _, p := range s.picks {
					drawn[first+p.sample]++
				}
			}
		}
		// The last generations are still in the window, and the first had it
		// for few.
		for i, n := range drawn[length*positions : (generations-length)*positions] {
			if n != 4 {
				t.Fatalf("with a window of %d generations position %d was drawn %d times, want %v", length, i, n, c.Passes)
			}
		}
	}
}

// A filled row of lists is a symmetric image of its sample: the features are
// those of the position, permuted like the policy.
func TestFillListsSeesThroughSymmetries(t *testing.T) {
	game := tictactoe.Rules.Game()
	w := newReader(newWindow(game, 0, origin{}))
	w.lists = true
	var samples []sample
	rows := handmade(t)
	for _, r := range rows {
		x, err := w.sample(r)
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, x)
	}
	const n = 64
	network := model.DefaultNetwork()
	network.Kind, network.Margin = model.Sparse, 10
	b := graph.NewBatch(network.For(game.Spec), n)
	s := newSampler(game, samples, rand.New(rand.NewPCG(1, 1)), 3)
	s.fill(b)
	s.fill(b)
	policy, seen := b.Targets[0].Rows, map[int]bool{}
	if b.Lists.Rows() != n || len(policy) != len(b.Lists.Legal) {
		t.Fatalf("%d rows, %d targets for %d actions", b.Lists.Rows(), len(policy), len(b.Lists.Legal))
	}
	for i, p := range s.picks {
		seen[p.symmetry] = true
		row := rows[p.sample]
		feature, action := func(f uint16) uint16 { return f }, func(a engine.Action) engine.Action { return a }
		if p.symmetry >= 0 {
			feature = func(f uint16) uint16 { return game.Symmetries[p.symmetry].Features[f] }
			action = func(a engine.Action) engine.Action { return game.Symmetries[p.symmetry].Actions[a] }
		}
		position, err := tictactoe.Parse(row.Position)
		if err != nil {
			t.Fatal(err)
		}
		var want []uint16
		for _, f := range position.Features(nil) {
			want = append(want, feature(f))
		}
		if got := b.Lists.FeaturesOf(i); !slices.Equal(got, want) {
			t.Fatalf("row %d has features %v, want %v", i, got, want)
		}
		from, _ := b.Lists.LegalRange(i, i+1)
		for j, a := range position.Legal(nil) {
			weight := float32(0)
			if int32(a) == row.Policy[0].Action {
				weight = 1
			}
			if got := b.Lists.Legal[from+j]; got != action(a) || policy[from+j] != weight {
				t.Fatalf("row %d: action %d of weight %v, want %d of %v", i, got, policy[from+j], action(a), weight)
			}
		}
		if got, want := b.Targets[1].Rows[i], samples[p.sample].value; got != want {
			t.Fatalf("row %d aims at %v, want %v", i, got, want)
		}
		if got, want := b.Targets[2].Rows[i], samples[p.sample].margin/10; got != want {
			t.Fatalf("row %d aims at a margin of %v, want %v", i, got, want)
		}
	}
	if len(seen) != 1+len(game.Symmetries) {
		t.Errorf("%d views were drawn, want all %d", len(seen), 1+len(game.Symmetries))
	}
}

// A game that lists what it does not have is refused when its shards are read.
func TestListsOutsideTheGame(t *testing.T) {
	game := tictactoe.Rules.Game()
	game.Features = 3
	w := newReader(newWindow(game, 0, origin{}))
	w.lists = true
	row := handmade(t)[3]
	want := fmt.Sprintf("in %q tictactoe lists feature ", row.Position)
	if _, err := w.sample(row); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), ", but has only 3") {
		t.Errorf("a feature too many: %v", err)
	}
}

// The memory of a window of lists is counted sample by sample, and too much of it is an
// error that says what to do.
func TestWindowMemory(t *testing.T) {
	w := newReader(newWindow(tictactoe.Rules.Game(), 0, origin{}))
	w.lists = true
	var g generation
	for _, r := range handmade(t) {
		x, err := w.sample(r)
		if err != nil {
			t.Fatal(err)
		}
		g.samples = append(g.samples, x)
	}
	g.listed = []*sampleLists{w.listed}
	features, legal := len(w.listed.Features), len(w.listed.Legal)
	want := int64(2*features + 6*legal + 5*(16+2*int(unsafe.Sizeof(sample{}))))
	if got := g.bytes(); got != want || legal != 9+8+7+6+5 {
		t.Fatalf("%d features and %d actions of %d positions take %d bytes, want %d", features, legal, len(g.samples), got, want)
	}
	w.generations[3], w.generations[4] = g, g
	if err := w.checkMemory(3, 4, 2*want); err != nil {
		t.Error(err)
	}
	if err := w.checkMemory(3, 4, 2*want-1); err == nil || !strings.Contains(err.Error(), "generations 3 to 4 take") || !strings.Contains(err.Error(), "train.window_max") {
		t.Errorf("a window that is too large: %v", err)
	}
	if planes := (generation{samples: []sample{{}}}); planes.bytes() != 0 {
		t.Error("samples that are positions are counted as lists")
	}
}
