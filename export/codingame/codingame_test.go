package codingame

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/internal/slow"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/train"
)

// small returns a checkpoint with a small network.
func small(t *testing.T) *model.Checkpoint {
	t.Helper()
	return of(t, model.Sparse{Columns: 64, Policy: 32, Value: 16, Hidden: 16})
}

// of returns a checkpoint of a sparse network. The network has the given sizes, and its outputs
// differ clearly from position to position.
func of(t *testing.T, sizes model.Sparse) *model.Checkpoint {
	t.Helper()
	sizes.ActionRows = true
	return made(t, model.Network{Body: sizes})
}

// made returns a checkpoint with random weights.
func made(t *testing.T, n model.Network) *model.Checkpoint {
	t.Helper()
	n = n.For(onitama.Classic.Spec)
	rng := rand.New(rand.NewPCG(3, 3))
	c := model.NewCheckpoint(model.Meta{Game: onitama.Classic.Name, SpecVersion: onitama.Classic.Version, Name: "small"}, n, rng)
	for _, l := range n.Architecture().Layers {
		for i := range c.Tensors[l.Name+".bias"] {
			c.Tensors[l.Name+".bias"][i] = float32(0.2 * rng.NormFloat64())
		}
	}
	for _, name := range []string{"policy.out.weight", "value.out.weight"} { // these weights are small at first
		for i := range c.Tensors[name] {
			c.Tensors[name][i] *= 10
		}
	}
	in := n.NewInput()
	for _, p := range sample(t, c, 300, 8) {
		in.Append(p)
	}
	c.Calibrate(in)
	return c
}

func sample(t *testing.T, c *model.Checkpoint, n int, seed uint64) []engine.Position {
	t.Helper()
	played, err := train.PlayedRoots(t.Context(), c, onitama.Classic.Game(), n, seed, 1)
	if err != nil {
		t.Fatal(err)
	}
	return played.Positions
}

// quant returns a checkpoint's network, evaluated with 8-bit arithmetic.
func quant(t *testing.T, c *model.Checkpoint) *model.Net {
	t.Helper()
	q, err := model.NewNet8(c)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func bot(l Language, c *model.Checkpoint) Bot {
	return Bot{Language: l, Checkpoint: c, Search: mcts.Default(), Budget: 42 * time.Millisecond, Provenance: []string{"a test"}}
}

func written(t *testing.T, l Language, c *model.Checkpoint) Program {
	t.Helper()
	p, err := bot(l, c).Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// programs maps the source of each program compiled so far to its path in folder.
var (
	programs = map[string]string{}
	folder   string
)

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "codingame"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// compile compiles the bot of a checkpoint, once for all tests. It skips the test if the compiler
// is missing.
func compile(t *testing.T, l Language, c *model.Checkpoint) string {
	t.Helper()
	text := written(t, l, c).Source
	if program := programs[text]; program != "" {
		return program
	}
	dir, err := os.MkdirTemp(folder, "")
	if err != nil {
		t.Fatal(err)
	}
	program, _, err := compileSource(t.Context(), l, text, dir)
	if missing := (missingError{}); errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	programs[text] = program
	return program
}

// The 8-bit outputs differ from the float outputs, but only slightly.
func TestRounding(t *testing.T) {
	c := small(t)
	value, logit, err := rounding(t.Context(), quant(t, c), model.NewNet(c), sample(t, c, 300, 9))
	if err != nil {
		t.Fatal(err)
	}
	if value.Mean > 0.02 || logit.Mean > 0.1 || value.Mean == 0 || logit.Mean == 0 {
		t.Errorf("value %+v, logits %+v", value, logit)
	}
}

// In both languages, the programs compute the same outputs as an 8-bit model.Net, with and without
// vector instructions. Their answers to the referee are the moves that our search chooses.
func TestProgramsAreTheNetwork(t *testing.T) {
	c := small(t)
	for name, v := range map[string]struct {
		language Language
		plain    string
	}{"cpp": {CPP, ""}, "cpp without vectors": {CPP, "1"}, "go": {Go, ""}} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("DOJO_PLAIN", v.plain)
			program := compile(t, v.language, c)
			q := quant(t, c)
			if n, ends, err := games["onitama"].exact(t.Context(), program, q, 400); err != nil || n < 400 || ends < 10 {
				t.Errorf("%d positions, %d ends, %v", n, ends, err)
			}
			thinker := written(t, v.language, c).thinker(mcts.GameOf(onitama.Classic), q)
			if turns, err := games["onitama"].alike(t.Context(), program, thinker); err != nil || turns < 1000 {
				t.Errorf("%d turns, %v", turns, err)
			}
		})
	}
}

// The programs also compute the exact outputs of networks of other sizes.
func TestSizes(t *testing.T) {
	slow.Test(t, "compiles four large programs")
	for rows, sizes := range map[bool]model.Sparse{false: {Columns: 160, Policy: 64, Value: 48, Hidden: 32}, true: {Columns: 256, Policy: 32, Value: 32, Hidden: 16}} {
		sizes.ActionRows = rows
		c := made(t, model.Network{Body: sizes})
		for _, l := range []Language{CPP, Go} {
			program := compile(t, l, c)
			if n, _, err := games["onitama"].exact(t.Context(), program, quant(t, written(t, l, c).Rounded), 100); err != nil || n < 100 {
				t.Errorf("%s, %s: %d positions, %v", c.Sizes(), l, n, err)
			}
		}
	}
}

// With equal numbers of simulations, the programs and package mcts play the same moves in whole
// games. This also tests that the programs keep the tree from turn to turn.
func TestProgramsSearchAlike(t *testing.T) {
	c := small(t)
	q := quant(t, c)
	const simulations = "300"
	for _, l := range []Language{CPP, Go} {
		t.Run(string(l), func(t *testing.T) {
			program := compile(t, l, c)
			for game := range uint64(6) {
				cfg := mcts.Default()
				cfg.Tactics.Leaf = 2 // the exported bots use this value
				search, rng := mcts.New(onitama.Classic, cfg), rand.New(rand.NewPCG(game, 1))
				begun := false
				err := games["onitama"].play(t.Context(), program, []string{simulations}, game, func(bot *conversation, p engine.Position, question string) (engine.Action, error) {
					if !begun || !search.Follow(p) {
						search.Reset(p, rng)
						begun = true
					}
					answer, _, err := bot.ask(question)
					a := choose(t, search, q)
					if want := p.ActionString(a); err == nil && answer != want {
						err = fmt.Errorf("in %q the program plays %q, package mcts %q", p, answer, want)
					}
					return a, err
				}, func(p engine.Position, rng *rand.Rand) engine.Action {
					legal := p.Legal(nil)
					return legal[rng.IntN(len(legal))]
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// choose searches the current position, plays the best action in the search, and returns it.
func choose(t *testing.T, search mcts.Search, e model.Evaluator) engine.Action {
	t.Helper()
	searchOn(t, search, e, 300)
	a := search.Root().Choose(0)
	search.Play(a)
	return a
}

// searchOn continues a search until it has the given number of visits.
func searchOn(t *testing.T, search mcts.Search, e model.Evaluator, visits int) {
	t.Helper()
	b := model.NewBatch(e)
	for search.Begin(mcts.RootRule{Final: mcts.LCB}, visits); !search.Done(); {
		b.Input.Reset()
		if search.Leaf(&b.Input) {
			b.Fit()
			if err := e.Evaluate(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			search.Expand(b.Input.Legal, b.Logits, b.Values[0])
		}
	}
}

func TestSourceFits(t *testing.T) {
	for _, l := range []Language{CPP, Go} {
		c := small(t)
		if p := written(t, l, c); Units(p.Source) > 71_000 || p.Rounded != c {
			t.Errorf("%s: %d units for a small network", l, Units(p.Source))
		}
		c = of(t, model.Sparse{Columns: 288, Policy: 32, Value: 32, Hidden: 16})
		if p := written(t, l, c); Units(p.Source) > Limit || p.Rounded == c {
			t.Errorf("%s: %d units for a network that must be rounded", l, Units(p.Source))
		}
		large := of(t, model.Sparse{Columns: 512, Policy: 32, Value: 32, Hidden: 16})
		if _, err := bot(l, large).Program(); err == nil || !strings.Contains(err.Error(), "small (sparse: 512 columns, policy 32, value 32 and 16) is too large") {
			t.Errorf("%s: an oversized network: %v", l, err)
		}
	}
}

// The packer's output equals texts that we worked out by hand.
func TestPacker(t *testing.T) {
	var p packer
	p.put(17, 0x1ffff)
	if got, want := p.finish(), string([]rune{0x3400 + 0x7fff, 0x3400 + 0b11}); got != want { // 15 ones in the first character, two in the second
		t.Errorf("packed as %x, want %x", got, want)
	}
	p = packer{}
	integers(&p, []int8{0, -1, 2, -3}) // they fold to 0, 1, 4, 5; k = 1 gives the shortest code
	// The bits are: k = 1, no zeros, and the four integers 0|0, 0|1, 110|0 and 110|1. The first bit
	// is the lowest bit of the first character.
	want := string([]rune{0x3400 + 0b1_0_011_10_00_00_0001, 0x3400 + 0b101})
	if got := p.finish(); got != want {
		t.Errorf("packed as %b, want %b", []rune(got), []rune(want))
	}
	p = packer{}
	integers(&p, []int8{0, -4, 8, -12}) // the same integers times 4: all end in two zero bits
	want = string([]rune{0x3400 + 0b1_0_011_10_00_10_0001, 0x3400 + 0b101})
	if got := p.finish(); got != want {
		t.Errorf("packed as %b, want %b", []rune(got), []rune(want))
	}
}

func TestBotOfWhat(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(c *model.Checkpoint)
		says   string
	}{
		"another game": {func(c *model.Checkpoint) { c.Game = "patchwork" }, "model small plays patchwork, but there are bots for CodinGame only for onitama; codingame.Register adds a game, see section 1 of docs/ADDING_A_GAME.md"},
		"another kind": {func(c *model.Checkpoint) {
			c.Network = model.Network{Body: model.DefaultResidual()}.For(onitama.Classic.Spec)
		}, "is a residual network (64 channels, 4 blocks)"},
		"without ranges": {func(c *model.Checkpoint) { c.Ranges = nil }, "has no ranges"},
		"other features": {func(c *model.Checkpoint) {
			sizes := c.Body.(model.Sparse)
			sizes.Features--
			c.Body = sizes
		}, "reads 321 features"},
	} {
		checkpoint := small(t)
		c.damage(checkpoint)
		if _, err := bot(CPP, checkpoint).Program(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func TestMissingCompiler(t *testing.T) {
	c := small(t)
	t.Setenv("PATH", t.TempDir())
	for l, says := range map[Language]string{CPP: "apt-get install g++", Go: "go.dev/dl"} {
		_, _, err := compileSource(t.Context(), l, written(t, l, c).Source, t.TempDir())
		if missing := (missingError{}); !errors.As(err, &missing) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s without a compiler: %v", l, err)
		}
	}
}

// If the context ends while the compiler runs, compileSource returns the context's error, not an
// error about the source.
func TestCompileInterrupted(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("g++ is missing")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := compileSource(ctx, CPP, "#include <bits/stdc++.h>\nint main() {}\n", t.TempDir()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an interrupted compiler: %v", err)
	}
}
