package codingame

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dojo/engine"
	"dojo/engine/onitama"
	"dojo/mcts"
	"dojo/model"
)

// small is a network of a student's shape, with opinions.
func small(t *testing.T) *model.Checkpoint {
	t.Helper()
	n := model.Network{Channels: 64, PolicyPlanes: 16, ValuePlanes: 16, ValueFeatures: 8}.For(onitama.Sparse.Spec)
	rng := rand.New(rand.NewPCG(3, 3))
	c := model.NewCheckpoint(model.Meta{Game: onitama.Sparse.Name, SpecVersion: onitama.Sparse.Version, Name: "small"}, n, rng)
	for _, p := range n.Params() {
		x := c.Tensors[p.Name]
		in := float64(max(1, len(x)/p.Shape[len(p.Shape)-1]))
		if p.Name == "stem.weight" {
			in = 25 // features that are 1
		}
		for i := range x {
			x[i] = float32(rng.NormFloat64() * math.Sqrt(2/in))
		}
	}
	return c
}

func student(t *testing.T, c *model.Checkpoint) *Student {
	t.Helper()
	s, err := NewStudent(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sample(t *testing.T, c *model.Checkpoint, n int, seed uint64) []onitama.SparseState {
	t.Helper()
	list, err := Sample(c, n, seed)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func source(t *testing.T, l Language, s *Student) string {
	t.Helper()
	text, err := Source(l, s, mcts.Default(), 42*time.Millisecond, []string{"a test"})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// compile skips the test where a compiler is missing.
func compile(t *testing.T, l Language, s *Student) string {
	t.Helper()
	program, _, err := Compile(t.Context(), l, source(t, l, s), t.TempDir())
	if missing := (*MissingError)(nil); errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// The student's outputs are near those of the network it was rounded from.
func TestStudentIsNearItsNetwork(t *testing.T) {
	c := small(t)
	s := student(t, c)
	value, logit, err := s.errors(t.Context(), c, sample(t, c, 300, 9))
	if err != nil {
		t.Fatal(err)
	}
	if value.Mean > 0.02 || logit.Mean > 0.08 || logit.Max > 1.5 { // rare activations are cut off
		t.Errorf("value %+v, logits %+v", value, logit)
	}
	if value.Mean == 0 || logit.Mean == 0 {
		t.Error("rounding cost nothing: is it done?")
	}
}

// Both programs say what the student says, with and without vector
// instructions, and answer the referee legally.
func TestProgramsAreTheStudent(t *testing.T) {
	c := small(t)
	s := student(t, c)
	games, err := readTranscripts()
	if err != nil {
		t.Fatal(err)
	}
	for _, plain := range []string{"", "1"} {
		t.Setenv("DOJO_PLAIN", plain)
		for _, l := range []Language{CPP, Go} {
			t.Run(string(l)+plain, func(t *testing.T) {
				program := compile(t, l, s)
				if n, err := exact(t.Context(), program, s, sample(t, c, 400, 5)); err != nil || n != 400 {
					t.Errorf("%d positions, %v", n, err)
				}
				if turns, err := replay(t.Context(), program, games); err != nil || turns < 2000 {
					t.Errorf("%d turns, %v", turns, err)
				}
			})
		}
	}
}

// At the same simulations the programs play the moves of package mcts,
// through whole games, in which the tree is kept from turn to turn.
func TestProgramsSearchAlike(t *testing.T) {
	c := small(t)
	s := student(t, c)
	const simulations = "300"
	for _, l := range []Language{CPP, Go} {
		t.Run(string(l), func(t *testing.T) {
			program := compile(t, l, s)
			for game := range uint64(6) {
				rng := rand.New(rand.NewPCG(game, 1))
				me := engine.Player(game % 2)
				bot, err := converse(t.Context(), program, simulations)
				if err != nil {
					t.Fatal(err)
				}
				search := mcts.New(onitama.Sparse, mcts.Default())
				p := engine.Forget(onitama.Sparse.Start(rng))
				search.Reset(p, rng)
				for first := true; p.Outcome() == engine.Ongoing; p = search.Position() {
					if p.ToMove() != me {
						legal := p.Legal(nil)
						search.Play(legal[rng.IntN(len(legal))])
						continue
					}
					answer, _, err := bot.ask(onitama.Sparse.Protocols[0].Ask(p, first))
					if err != nil {
						t.Fatal(err)
					}
					first = false
					if want := p.ActionString(think(t, search, s)); answer != want {
						t.Fatalf("in %q the program plays %q, package mcts %q", p, answer, want)
					}
				}
				if err := bot.close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// think searches and plays the best action.
func think(t *testing.T, search mcts.Search, e model.Evaluator) engine.Action {
	t.Helper()
	searchOn(t, search, e, 300)
	a := search.Choose(0)
	search.Play(a)
	return a
}

// searchOn searches to a number of visits.
func searchOn(t *testing.T, search mcts.Search, e model.Evaluator, visits int) {
	t.Helper()
	b := model.NewBatch(onitama.Sparse.Spec, 1)
	b.N = 1
	for search.Begin(mcts.PUCT{}, visits); !search.Done(); {
		if search.Leaf(b.Planes) {
			if err := e.Evaluate(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			search.Expand(b.Logits, b.Values[0])
		}
	}
}

func TestSourceFits(t *testing.T) {
	s := student(t, small(t))
	for _, l := range []Language{CPP, Go} {
		if n := Units(source(t, l, s)); n > 60_000 {
			t.Errorf("%s: %d units for a small student", l, n)
		}
	}
	s.WP = append(s.WP, make([]int8, 200_000)...)
	if _, err := Source(CPP, s, mcts.Default(), time.Second, nil); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("an oversized student: %v", err)
	}
}

func TestPack(t *testing.T) {
	text := []rune(pack([]byte{0xff, 0xff, 0x01}))
	want := []rune{0x3400 + 0x7fff, 0x3400 + 0b11} // 15 bits of ones, then the 16th and the 17th
	if string(text) != string(want) {
		t.Errorf("packed as %x, want %x", text, want)
	}
}

func TestStudentOfWhat(t *testing.T) {
	c := small(t)
	c.Game = "onitama"
	if _, err := NewStudent(c); err == nil {
		t.Error("a network of another game is taken")
	}
	c = small(t)
	c.PolicyPlanes = 20
	if _, err := NewStudent(c); err == nil || !strings.Contains(err.Error(), "sixteens") {
		t.Errorf("layers of any width: %v", err)
	}
}

func TestMissingCompiler(t *testing.T) {
	s := student(t, small(t))
	t.Setenv("PATH", t.TempDir())
	for l, says := range map[Language]string{CPP: "apt-get install g++", Go: "go.dev/dl"} {
		_, _, err := Compile(t.Context(), l, source(t, l, s), t.TempDir())
		if missing := (*MissingError)(nil); !errors.As(err, &missing) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s without a compiler: %v", l, err)
		}
	}
}
