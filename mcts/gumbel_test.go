package mcts_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dojo/engine"
	"dojo/engine/tictactoe"
	"dojo/mcts"
)

// arms is the number of actions at the start of a bandit.
const arms = 20

// bandit is a game in which only the first action matters: all that follows is forced
// and never ends within a search.
type bandit struct {
	arm   int16 // none before the first action
	ply   int16
	mover engine.Player
}

func (b bandit) ToMove() engine.Player   { return b.mover }
func (b bandit) Outcome() engine.Outcome { return engine.Ongoing }
func (b bandit) Legal(dst []engine.Action) []engine.Action {
	for a := range engine.Action(arms) {
		if dst = append(dst, a); b.arm >= 0 {
			break
		}
	}
	return dst
}
func (b bandit) Play(a engine.Action) bandit {
	next := bandit{b.arm, b.ply + 1, 1 - b.mover}
	if b.arm < 0 {
		next.arm = int16(a)
	}
	return next
}
func (b bandit) Encode(p []float32)                  { p[0], p[1] = float32(b.arm), b.mover.Sign() }
func (b bandit) ActionString(a engine.Action) string { return fmt.Sprint(a) }
func (b bandit) String() string                      { return fmt.Sprint(b.arm, b.ply, b.mover) }

var banditSpec = engine.Spec{Name: "bandit", Actions: arms, Planes: engine.Shape{C: 2, H: 1, W: 1}, MaxPlies: 1000}

// machine is a bandit with a policy and with values, for the player who moves first, that
// a search finds out exactly.
type machine struct {
	logits, values []float32
	mover          engine.Player
}

func newMachine(rng *rand.Rand) *machine {
	m := &machine{mover: engine.Player(rng.IntN(2))}
	for range arms {
		m.logits = append(m.logits, float32(rng.NormFloat64()*2))
		m.values = append(m.values, 2*rng.Float32()-1)
	}
	return m
}

// policy is the softmax of the logits.
func (m *machine) policy() []float64 {
	policy, sum := make([]float64, arms), 0.0
	for a, x := range m.logits {
		policy[a] = math.Exp(float64(x))
		sum += policy[a]
	}
	for a := range policy {
		policy[a] /= sum
	}
	return policy
}

// mean is the expected value of an action drawn from the policy.
func (m *machine) mean(policy []float64) (sum float64) {
	for a, p := range policy {
		sum += p * float64(m.values[a])
	}
	return sum
}

// search searches the machine to so many visits, several simulations at a time.
func (m *machine) search(s mcts.Search, root mcts.Root, visits, pending int) {
	planes, value := make([]float32, 2*pending), float32(m.mean(m.policy()))
	for s.Begin(root, visits); !s.Done(); {
		for i := range s.Leaves(planes, pending) {
			v := value
			if arm := int(planes[2*i]); arm >= 0 {
				v = m.values[arm]
			}
			s.Expand(m.logits, v*m.mover.Sign()*planes[2*i+1])
		}
	}
}

func (m *machine) start() engine.Position { return engine.Forget(bandit{arm: -1, mover: m.mover}) }

func newBandit() mcts.Search {
	cfg := mcts.Default()
	cfg.Cache = 0
	return mcts.New(engine.Rules[bandit]{Spec: banditSpec}, cfg)
}

// halved is sequential halving as the paper has it, written down visit by visit: how
// many visits the most visited actions have, in falling order.
func halved(considered, budget int) []int {
	visits := make([]int, considered)
	phases := int(math.Ceil(math.Log2(float64(considered))))
	for left, budgetLeft := considered, budget; budgetLeft > 0; left = max(2, left/2) {
		for range max(1, budget/(phases*left)) {
			for a := 0; a < left && budgetLeft > 0; a++ {
				visits[a]++
				budgetLeft--
			}
		}
	}
	return visits
}

// visitsOf lists the visits of the edges, less those in before, in falling order.
func visitsOf(s mcts.Search, before []mcts.Edge) []int {
	var list []int
	for i, e := range s.Edges(nil) {
		if list = append(list, e.Visits); before != nil {
			list[i] -= before[i].Visits
		}
	}
	slices.SortFunc(list, func(a, b int) int { return b - a })
	return list
}

// The visits are those of sequential halving, for any budget; several pending simulations
// change nothing in that.
func TestGumbelHalves(t *testing.T) {
	s := newBandit()
	for _, actions := range []int{2, 3, 8, 16, 64} {
		for visits := 2; visits <= 200; visits++ {
			for _, pending := range []int{1, 5} {
				m := newMachine(rand.New(rand.NewPCG(uint64(visits), uint64(actions))))
				s.Reset(m.start(), rand.New(rand.NewPCG(1, uint64(visits))))
				m.search(s, mcts.Gumbel{Actions: actions, Scale: 1}, visits, pending)
				want := append(halved(min(actions, arms), visits-1), make([]int, arms)...)[:arms]
				if got := visitsOf(s, nil); !slices.Equal(got, want) {
					t.Fatalf("%d visits, %d actions, %d pending: the actions have %v visits, want %v", visits, actions, pending, got, want)
				}
			}
		}
	}
}

// Visits kept from an earlier search are left aside: what is added is halved as ever.
func TestGumbelHalvesBesideKeptVisits(t *testing.T) {
	s, m := newBandit(), newMachine(rand.New(rand.NewPCG(3, 3)))
	s.Reset(m.start(), rand.New(rand.NewPCG(1, 1)))
	m.search(s, quiet, 300, 1)
	before := s.Edges(nil)
	m.search(s, mcts.Gumbel{Actions: 8, Scale: 1}, 348, 1)
	if got, want := visitsOf(s, before), append(halved(8, 48), make([]int, arms-8)...); !slices.Equal(got, want) {
		t.Errorf("beside 300 kept visits the actions get %v, want %v", got, want)
	}
}

// The theorem of the paper: with exact values, for any policy and any values, the action
// chosen is worth at least as much on average as one drawn from the policy, with two
// visits or two hundred; and so is one drawn from the improved policy.
func TestGumbelImproves(t *testing.T) {
	s, policy := newBandit(), make([]float32, arms)
	for _, visits := range []int{2, 3, 5, 9, 17, 33, 65, 200} {
		const machines, tries = 40, 25
		var gain, squares float64
		for k := range uint64(machines) {
			m := newMachine(rand.New(rand.NewPCG(k, 7)))
			start := m.policy()
			for i := range uint64(tries) {
				s.Reset(m.start(), rand.New(rand.NewPCG(k, i)))
				m.search(s, mcts.Gumbel{Actions: 16, Scale: 1}, visits, 1)
				g := float64(m.values[s.Choose(1)]) - m.mean(start)
				gain, squares = gain+g, squares+g*g
				if visits < 200 {
					continue
				}
				s.Policy(policy)
				improved, sum := make([]float64, arms), 0.0
				for a, w := range policy {
					improved[a], sum = float64(w), sum+float64(w)
				}
				if math.Abs(sum-1) > 1e-4 || m.mean(improved) < m.mean(start) {
					t.Fatalf("machine %d: the improved policy is worth %v, that of the network %v; it sums to %v", k, m.mean(improved), m.mean(start), sum)
				}
			}
		}
		const n = machines * tries
		mean := gain / n
		deviation := math.Sqrt((squares/n - mean*mean) / n)
		if visits == 2 { // one action is looked at: the choice is a draw from the policy
			if math.Abs(mean) > 3*deviation {
				t.Errorf("with one action looked at, the choice gains %.3f ± %.3f over the policy, want nothing", mean, deviation)
			}
		} else if mean < 3*deviation {
			t.Errorf("with %d visits the choice gains %.3f ± %.3f over the policy", visits, mean, deviation)
		}
	}
}

// Temperature 0 leaves luck out of the choice among the most visited actions.
func TestGumbelTemperature(t *testing.T) {
	s, m := newBandit(), newMachine(rand.New(rand.NewPCG(5, 5)))
	for i := range arms {
		m.values[i] = 0
	}
	differ := 0
	for seed := range uint64(100) {
		s.Reset(m.start(), rand.New(rand.NewPCG(seed, 0)))
		m.search(s, mcts.Gumbel{Actions: 4, Scale: 1}, 9, 1)
		most := visitsOf(s, nil)[0]
		best := -1
		for a, e := range s.Edges(nil) {
			if e.Visits == most && (best < 0 || m.logits[a] > m.logits[best]) {
				best = a
			}
		}
		if got := s.Choose(0); int(got) != best {
			t.Fatalf("at temperature 0 the choice is %d; of the most visited actions the network prefers %d", got, best)
		}
		if s.Choose(1) != s.Choose(0) {
			differ++
		}
	}
	if differ == 0 {
		t.Error("temperature 1 always chooses as temperature 0 does")
	}
}

// A proven win is played at any temperature and has all the weight; what is proven lost is
// not visited again, not played, and has no weight, unless all is lost.
func TestGumbelProofs(t *testing.T) {
	s, root := mcts.New(tictactoe.Rules, mcts.Default()), mcts.Gumbel{Actions: 4, Scale: 1}
	weights := make([]float32, 9)
	for _, c := range []struct {
		text string
		best []engine.Action // those that keep the value
	}{
		{"xx.oo....", []engine.Action{2}}, {"oo.x....x", []engine.Action{2}}, {"x.x.o.x.o", []engine.Action{1, 3, 5, 7}},
	} {
		p, err := tictactoe.Rules.Game().Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(20) {
			search(s, p, seed, tictactoe.Rules.Spec, root, 400)
			s.Policy(weights)
			for a, w := range weights {
				if w > 0 && !slices.Contains(c.best, engine.Action(a)) {
					t.Errorf("%s: action %d has the weight %v", c.text, a, w)
				}
			}
			for _, temperature := range []float32{0, 1, 10} {
				if a := s.Choose(temperature); !slices.Contains(c.best, a) {
					t.Errorf("%s: action %d is chosen at temperature %v", c.text, a, temperature)
				}
			}
			for _, e := range s.Edges(nil) {
				if lost := engine.WonBy(1 - p.ToMove()); e.Proven == lost && s.Proven() != lost && e.Visits > 20 {
					t.Errorf("%s: %d, which is lost, has %d visits", c.text, e.Action, e.Visits)
				}
			}
		}
	}
}

// The same seed gives the same search, another one another.
func TestGumbelIsDeterministic(t *testing.T) {
	find := func(seed uint64) string {
		s, policy := newBandit(), make([]float32, arms)
		m := newMachine(rand.New(rand.NewPCG(9, 9)))
		s.Reset(m.start(), rand.New(rand.NewPCG(seed, 0)))
		m.search(s, mcts.Gumbel{Actions: 8, Scale: 1}, 30, 1)
		s.Policy(policy)
		return fmt.Sprint(s.Edges(nil), policy, s.Choose(0.5))
	}
	first, again, other := find(1), find(1), find(2)
	if again != first || other == first {
		t.Errorf("seed 1 finds\n%s\nand\n%s\nseed 2\n%s", first, again, other)
	}
}
