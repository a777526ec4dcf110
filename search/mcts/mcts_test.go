package mcts_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/engine/tictactoe"
	"dojo.example/search/mcts"
)

// heap is a game with a heap of sticks. The mover takes one or two sticks. If the number of sticks
// left is divisible by 3, the mover moves again. Whoever takes the last stick wins.
type heap struct {
	left  uint8
	mover engine.Player
	last  engine.Player
}

func (h heap) ToMove() engine.Player { return h.mover }
func (h heap) Outcome() engine.Outcome {
	switch {
	case h.left > 0:
		return engine.Ongoing
	case h.last == engine.First:
		return engine.FirstWins
	}
	return engine.SecondWins
}
func (h heap) Legal(dst []engine.Action) []engine.Action {
	dst = append(dst, 0)
	if h.left > 1 {
		dst = append(dst, 1)
	}
	return dst
}
func (h heap) Play(a engine.Action) heap {
	next := heap{left: h.left - uint8(a) - 1, mover: 1 - h.mover, last: h.mover}
	if next.left%3 == 0 {
		next.mover = h.mover
	}
	return next
}
func (h heap) Encode(p []float32)                  { p[0] = float32(h.left) }
func (h heap) ActionString(a engine.Action) string { return fmt.Sprint(a + 1) }
func (h heap) String() string                      { return fmt.Sprint(h.left, h.mover) }

var heapRules = engine.Rules[heap]{
	Spec:  engine.Spec{Name: "heap", Actions: 2, Planes: engine.Shape{C: 1, H: 1, W: 1}, MaxPlies: 20},
	Start: func(rng *rand.Rand) heap { return heap{left: uint8(5 + rng.IntN(12))} },
}

// solve returns the value of h for First if both players play perfectly.
func solve(h heap) float32 {
	if h.left == 0 {
		return h.Outcome().Value()
	}
	best := -h.mover.Sign()
	for _, a := range h.Legal(nil) {
		if v := solve(h.Play(a)); v*h.mover.Sign() > best*h.mover.Sign() {
			best = v
		}
	}
	return best
}

// quiet is the root rule of players. It adds no noise.
var quiet = mcts.RootRule{Final: mcts.LCB}

// search searches the position p until the root has the given number of visits. Its evaluator gives
// every position the value 0 and every action the same prior.
func search(s mcts.Search, p engine.Position, seed uint64, spec engine.Spec, rule mcts.RootRule, visits int) {
	s.Reset(p, rand.New(rand.NewPCG(seed, 0)))
	goOn(s, spec, rule, visits)
}

// goOn continues the search s in its current position until the root has the given number of
// visits.
func goOn(s mcts.Search, spec engine.Spec, rule mcts.RootRule, visits int) {
	in, logits := engine.PlaneInput(spec.Planes), make([]float32, spec.Actions)
	for s.Begin(rule, visits); !s.Done(); {
		in.Reset()
		if s.Leaf(&in) {
			expand(s, &in, logits, 0)
		}
	}
}

// expand passes an evaluation to s: the value, and the logits of the legal actions of in. The Input
// has one row. The slice all has a logit for each action of the game, legal or not.
func expand(s mcts.Search, in *engine.Input, all []float32, value float32) {
	var logits []float32
	for _, a := range in.Legal {
		logits = append(logits, all[a])
	}
	s.Expand(in.Legal, logits, value)
}

// Even with an evaluator that knows nothing, the search finds a best move in every position of the
// heap game, in which a player may move twice in a row. The values that it returns are for First.
func TestSearchAgreesWithSolver(t *testing.T) {
	tree := mcts.Default()
	graph := tree
	graph.Graph = true
	for left := uint8(2); left < 17; left++ {
		for _, mover := range []engine.Player{engine.First, engine.Second} {
			start := heap{left: left, mover: mover}
			for _, cfg := range []mcts.Config{tree, graph} {
				s := mcts.New(heapRules, cfg)
				search(s, engine.Forget(start), 1, heapRules.Spec, quiet, 2000)
				if got, want := solve(start.Play(s.Root().Choose(0))), solve(start); got != want {
					t.Errorf("%s, graph %v: search chose a move worth %v, best is %v", start, cfg.Graph, got, want)
				}
				if v, want := s.Root().Value(), solve(start); v*want < 0.2 {
					t.Errorf("%s, graph %v: the search thinks %v, the game is worth %v for First", start, cfg.Graph, v, want)
				}
			}
		}
	}
}

// In every position of tic-tac-toe the search chooses a move that keeps the value of the game.
func TestTicTacToeIsSolved(t *testing.T) {
	values := map[tictactoe.State]float32{}
	var solve func(s tictactoe.State) float32
	solve = func(s tictactoe.State) float32 {
		if v, ok := values[s]; ok {
			return v
		}
		v := s.Outcome().Value()
		if s.Outcome() == engine.Ongoing {
			v = -s.ToMove().Sign()
			for _, a := range s.Legal(nil) {
				if w := solve(s.Play(a)); w*s.ToMove().Sign() > v*s.ToMove().Sign() {
					v = w
				}
			}
		}
		values[s] = v
		return v
	}
	solve(tictactoe.State{})
	cfg := mcts.Default()
	cfg.Graph = true
	s := mcts.New(tictactoe.Rules, cfg)
	checked := 0
	for p, v := range values {
		if p.Outcome() != engine.Ongoing {
			continue
		}
		search(s, engine.Forget(p), 1, tictactoe.Rules.Spec, quiet, 3000)
		if got := values[p.Play(s.Root().Choose(0))]; got != v {
			t.Errorf("%s is worth %v, the search chose a move worth %v", p, v, got)
		}
		checked++
	}
	if checked < 4000 {
		t.Errorf("only %d positions were checked", checked)
	}
}

// If the mover can win with one action, the search soon ends, and the policy has weight only on
// winning actions.
func TestProofs(t *testing.T) {
	p, err := tictactoe.Rules.Game().Parse("xx.oo....")
	if err != nil {
		t.Fatal(err)
	}
	s := mcts.New(tictactoe.Rules, mcts.Default())
	search(s, p, 1, tictactoe.Rules.Spec, quiet, 10000)
	policy := make([]float32, 9)
	s.Root().Policy(policy)
	if policy[2] != 1 || s.Root().Value() != 1 || s.Visits() > 30 {
		t.Errorf("a win in one: policy %v, value %v after %d visits", policy, s.Root().Value(), s.Visits())
	}

	// o must block at a1, but x wins anyway, because x has two open lines.
	if p, err = tictactoe.Rules.Game().Parse("x.x.o.x.o"); err != nil {
		t.Fatal(err)
	}
	search(s, p, 1, tictactoe.Rules.Spec, quiet, 10000)
	if p.ToMove() != engine.Second || s.Root().Value() != 1 {
		t.Errorf("%s is lost for o, the search says %v", p, s.Root().Value())
	}
}

// The expected visits of the first simulations were computed by hand. The priors are 2/3 and 1/3
// (logits ln 2 and 0), c is 1 and FPUReduction is 0, so U(a) = P(a)·√N / (1 + N(a)). If the logits
// are doubled and the temperature is 2, the visits are the same.
func TestSelectionByHand(t *testing.T) {
	for _, temperature := range []float32{0, 1, 2} {
		selectByHand(t, temperature)
	}
}

func selectByHand(t *testing.T, temperature float32) {
	cfg := mcts.Config{Constants: mcts.Constants{CPuct: 1, CPuctBase: 1e9, PriorTemperature: temperature}}
	s := mcts.New(heapRules, cfg)
	s.Reset(engine.Forget(heap{left: 16}), rand.New(rand.NewPCG(1, 0)))
	s.Begin(quiet, 100)
	logits, in := []float32{0.6931472 * max(1, temperature), 0}, engine.PlaneInput(heapRules.Planes)
	values := []float32{
		0,    // simulation 0 evaluates the root
		-0.5, // simulation 1 takes action 0; First moves again because 15 sticks are left
		0,    // Q + U is -0.5 + 0.47 for action 0, and -0.25 (the mean) + 0.47 for action 1, which is taken
		0.25, // Q + U is -0.5 + 0.58 for action 0, and 0 + 0.29 for action 1, which is taken again
	}
	want := [][2]int{{0, 0}, {1, 0}, {1, 1}, {1, 2}}
	for i, v := range values {
		in.Reset()
		if !s.Leaf(&in) {
			t.Fatal("no leaf")
		}
		expand(s, &in, logits, v)
		edges := s.Root().Edges(nil)
		if got := [2]int{edges[0].Visits, edges[1].Visits}; got != want[i] {
			t.Fatalf("after %d simulations the visits are %v, want %v", i+1, got, want[i])
		}
	}
}

// Noisy priors still sum to 1, and no action loses more than the fraction Weight of its prior.
func TestNoise(t *testing.T) {
	s := mcts.New(tictactoe.Rules, mcts.Default())
	const runs = 2000
	var mean [9]float64
	changed := false
	for seed := range uint64(runs) {
		search(s, tictactoe.Rules.Game().Start(nil), seed, tictactoe.Rules.Spec, mcts.RootRule{Noise: mcts.Noise{Alpha: 1, Weight: 0.25}}, 1)
		var sum float32
		for i, e := range s.Root().Edges(nil) {
			sum += e.Prior
			mean[i] += float64(e.Prior) / runs
			changed = changed || math.Abs(float64(e.Prior)-1.0/9) > 0.05
			if e.Prior < 0.75/9-1e-6 {
				t.Fatalf("noise took more than its share of a prior: %v", e.Prior)
			}
			if e.Network != float32(1)/9 {
				t.Fatalf("beside the noise the network's own prior is %v, want 1/9", e.Network)
			}
		}
		if math.Abs(float64(sum)-1) > 1e-5 {
			t.Fatalf("noisy priors sum to %v", sum)
		}
	}
	for i, m := range mean {
		if math.Abs(m-1.0/9) > 0.01 {
			t.Errorf("mean prior of action %d is %v under noise, want 1/9", i, m)
		}
	}
	if !changed {
		t.Error("the noise changes nothing")
	}
}

// At temperature 1, Choose picks an action with the probability that the policy gives it. At
// temperature 0 it takes the action with the most weight.
func TestTemperature(t *testing.T) {
	s := mcts.New(tictactoe.Rules, mcts.Default())
	p := tictactoe.Rules.Game().Start(nil)
	search(s, p, 3, tictactoe.Rules.Spec, quiet, 60)
	policy := make([]float32, 9)
	s.Root().Policy(policy)
	const draws = 20000
	var seen, sharp [9]float64
	for range draws {
		seen[s.Root().Choose(1)] += 1.0 / draws
		sharp[s.Root().Choose(0.05)] += 1.0 / draws
	}
	best := s.Root().Choose(0)
	for a, want := range policy {
		if math.Abs(seen[a]-float64(want)) > 0.015 {
			t.Errorf("action %d was drawn with frequency %v, its weight is %v", a, seen[a], want)
		}
		if want > policy[best] {
			t.Errorf("temperature 0 took %d though %d has more weight", best, a)
		}
	}
	if sharp[best] < seen[best] {
		t.Errorf("a low temperature made the top action rarer: %v < %v", sharp[best], seen[best])
	}
}

// Throughout a game, Play keeps the visits and the value of the node to which the played action
// leads.
func TestSubtreeIsKept(t *testing.T) {
	s := mcts.New(tictactoe.Rules, mcts.Default())
	p := tictactoe.Rules.Game().Start(nil)
	search(s, p, 1, tictactoe.Rules.Spec, quiet, 300)
	for p.Outcome() == engine.Ongoing {
		a := s.Root().Choose(0)
		var played mcts.Edge
		for _, e := range s.Root().Edges(nil) {
			if e.Action == a {
				played = e
			}
		}
		s.Play(a)
		p = p.Play(a)
		if s.Position().String() != p.String() {
			t.Fatalf("the search is at %s, the game at %s", s.Position(), p)
		}
		if s.Visits() != played.Visits || (p.Outcome() == engine.Ongoing && math.Abs(float64(s.Root().Value()-played.Value)) > 1e-5) {
			t.Fatalf("%s: kept %d visits of value %v, the edge had %d of %v", p, s.Visits(), s.Root().Value(), played.Visits, played.Value)
		}
		goOn(s, tictactoe.Rules.Spec, quiet, 300)
	}
	s.Reset(tictactoe.Rules.Game().Start(nil), rand.New(rand.NewPCG(1, 0)))
	s.Play(4) // the search has no node after this action
	if s.Visits() != 0 || s.Position().String() != "....x...." {
		t.Errorf("an unsearched action led to %s with %d visits", s.Position(), s.Visits())
	}
}

// In random games from an empty board, First wins with probability 737/1260 and Second with
// probability 121/420, so the mean value for First is 0.297.
func TestPlayout(t *testing.T) {
	s := mcts.New(tictactoe.Rules, mcts.Default())
	s.Reset(tictactoe.Rules.Game().Start(nil), rand.New(rand.NewPCG(1, 0)))
	if s.Begin(quiet, 1); !s.Leaf(&engine.Input{}) {
		t.Fatal("no leaf")
	}
	var mean float64
	const n = 40000
	for range n {
		value, err := s.RandomPlayout()
		if err != nil {
			t.Fatal(err)
		}
		mean += float64(value) / n
	}
	if want := 737.0/1260 - 121.0/420; math.Abs(mean-want) > 0.02 {
		t.Errorf("playouts have mean %v, want %v", mean, want)
	}
}

func TestConfigMistakes(t *testing.T) {
	for key, breakIt := range map[string]func(*mcts.Config){
		"simulations":       func(c *mcts.Config) { c.Simulations = 0 },
		"cpuct":             func(c *mcts.Config) { c.CPuct = -1 },
		"cpuct_base":        func(c *mcts.Config) { c.CPuctBase = 0 },
		"fpu_reduction":     func(c *mcts.Config) { c.FPUReduction = float32(math.NaN()) },
		"prior_temperature": func(c *mcts.Config) { c.PriorTemperature = 0.01 },
		"noise_alpha":       func(c *mcts.Config) { c.Noise.Alpha = 0 },
		"noise_weight":      func(c *mcts.Config) { c.Noise.Weight = 1.5 },
		"tactics":           func(c *mcts.Config) { c.Tactics.Leaf = 3 },
	} {
		c := mcts.Default()
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		breakIt(&c)
		if err := c.Validate(); err == nil || !strings.HasPrefix(err.Error(), key+": ") {
			t.Errorf("a broken %s gave %v", key, err)
		}
	}
}

// A search whose slices have reached their largest size allocates nothing for another game, even if
// it keeps subtrees and uses tactics.
func TestNoAllocation(t *testing.T) {
	cfg := mcts.Default()
	t.Run("tictactoe", func(t *testing.T) { noAllocation(t, tictactoe.Rules, cfg) })
	cfg.Tactics, cfg.Graph = mcts.Tactics{Leaf: 2}, true
	t.Run("onitama", func(t *testing.T) { noAllocation(t, onitama.Classic, cfg) })
}

func noAllocation[S engine.State[S]](t *testing.T, rules engine.Rules[S], cfg mcts.Config) {
	s, rule := mcts.New(rules, cfg), cfg.SelfPlay()
	in, logits, policy := engine.PlaneInput(rules.Planes), make([]float32, rules.Actions), make([]float32, rules.Actions)
	start, rng := rules.Game().Start(rand.New(rand.NewPCG(1, 1))), rand.New(rand.NewPCG(1, 0))
	play := func() {
		s.Reset(start, rng)
		for range 5 {
			for s.Begin(rule, 200); !s.Done(); {
				in.Reset()
				if s.Leaf(&in) {
					s.Expand(in.Legal, logits[:len(in.Legal)], 0)
				}
			}
			s.Root().Policy(policy)
			s.Play(s.Root().Choose(1))
		}
	}
	for range 200 {
		play()
	}
	// Reset may allocate once, because it stores the state in an interface.
	if n := testing.AllocsPerRun(50, play); n > 1 {
		t.Errorf("%v allocations a game", n)
	}
}

func BenchmarkSearch(b *testing.B) {
	cfg := mcts.Default()
	s, rule := mcts.New(tictactoe.Rules, cfg), cfg.SelfPlay()
	in, logits := engine.PlaneInput(tictactoe.Rules.Planes), make([]float32, 9)
	start, rng := tictactoe.Rules.Game().Start(nil), rand.New(rand.NewPCG(1, 0))
	n := 0
	for b.Loop() {
		s.Reset(start, rng)
		for s.Begin(rule, cfg.Simulations); !s.Done(); {
			in.Reset()
			if s.Leaf(&in) {
				s.Expand(in.Legal, logits[:len(in.Legal)], 0)
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "sims/s")
}
