package arena

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/model"
)

func TestParse(t *testing.T) {
	checkpoint := tiny()
	env := Env{
		Game: noughts, AlphaBeta: alphaBetaSearch, Simulations: 100, Tables: true,
		Load: func(path string) (*model.Checkpoint, error) {
			if path != "runs/x.safetensors" && path != "box" && path != "box:chess" {
				return nil, errors.New("no such file")
			}
			return checkpoint, nil
		},
	}
	for text, want := range map[string]string{
		"random": "random", "greedy": "greedy", "mcts:20": "mcts:20", "mcts@1ms": "mcts@1ms", "alphabeta:3": "alphabeta:3", "uniform:16": "uniform:16",
		"alphabeta@1ms": "alphabeta@1ms", "alphabeta@20n": "alphabeta@20n",
		"runs/x.safetensors": "runs/x.safetensors:100", "runs/x.safetensors:64": "runs/x.safetensors:64",
		"runs/x.safetensors@1ms": "runs/x.safetensors@1ms", "runs/x.safetensors#float32:8": "runs/x.safetensors#float32:8",
		"box": "box:100", "box:8": "box:8", "box@1ms": "box@1ms", "box#float32:8": "box#float32:8", "box#tables:8": "box#tables:8", "runs/x.safetensors#float32#tables": "runs/x.safetensors#float32#tables:100", "box#cpuct=2.5#fpu_reduction=0:8": "box#cpuct=2.5#fpu_reduction=0:8", "box#random=0.5:8": "box#random=0.5:8", "box:chess": "box:chess:100", "box:chess:8": "box:chess:8",
		"runs/x.safetensors#float32": "runs/x.safetensors#float32:100", "runs/x.safetensors#float32@1ms": "runs/x.safetensors#float32@1ms",
	} {
		m, err := Parse(text, env)
		if err != nil || m.Player != want {
			t.Errorf("Parse(%q) = %q, %v; want %q", text, m.Player, err, want)
			continue
		}
		if r := match(t, Options{A: m, B: Random(), Games: 2}); r.Games() != 2 {
			t.Errorf("%s played %d games", text, r.Games())
		}
	}
	for text, says := range map[string]string{
		"rnadom": "a player is", "mcts:": "number", "mcts:0": "number", "mcts@": "not a time above 0", "mcts@20": "not a time above 0", "mcts@-1ms": "not a time above 0", "alphabeta:x": "number", "alphabeta@": "neither", "alphabeta@20": "neither", "alphabeta@-1ms": "neither", "alphabeta@0n": "number", "alphabeta@xn": "number", "uniform:-1": "number",
		"runs/y.safetensors": "no such file", "runs/x.safetensors:0": "from 1 to", "runs/x.safetensors:1000001": "from 1 to 1000000",
		"mcts:1000000000": "from 1 to 1000000", "uniform:1000000000": "from 1 to 1000000", "alphabeta:101": "from 1 to 100", "": "a player is", "mcts": "a player is",
		"box:0": "from 1 to", "box:go": "no such file", "boxer": "a player is", "cmd:": "no program", "cmd:./no-such-program": "no-such-program", "runs/x.safetensors@-1ms": "not a time above 0", "box@0s": "not a time above 0", "box@5": "a player is", "box#tabels#float32": "a player is", "box#cpuct=x": "a player is", "box#random=1.1": "a player is", "box#random=NaN": "a player is", "box#cpuct=-1": "cpuct: -1 is not positive", "box#noise_alpha=1": "a player is",
	} {
		if _, err := Parse(text, env); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Parse(%q): %v, want an error with %q", text, err, says)
		}
	}
}

func TestModelPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, after := range []string{"", ":64", "@50ms", "#float32", "#float32:64", "#float32@1s", "#tables", "#tables#float32:64", "#cpuct_base=1e4@30ms"} {
		if got, err := ModelPath(path + after); err != nil || got != path {
			t.Errorf("ModelPath(%q) = %q, %v", path+after, got, err)
		}
	}
	for player, want := range map[string]string{"random": "", "alphabeta@0.5s": "", "mcts:8": "", "mcts@1s": "", "cmd:./x": "", "box:8": "", "box#tables": "", "box:chess:8": "box:chess"} {
		if got, err := ModelPath(player); err != nil || got != want {
			t.Errorf("ModelPath(%q) = %q, %v; want %q", player, got, err, want)
		}
	}
	for _, player := range []string{"rnadom", path + ":0", path + "@0s", path + "@5", path + "#cpuct=2#tabels", "box@5", "box:chess#tabels:8"} {
		if got, err := ModelPath(player); !errors.As(err, new(NameError)) {
			t.Errorf("ModelPath(%q) = %q, %v; want a NameError", player, got, err)
		}
	}
}

// The name of a model's file or a run in the current folder needs no leading ./, unless a player
// has this name.
func TestBareModel(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"mine", "random"} {
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for player, want := range map[string]string{"mine": "mine", "mine:8": "mine", "mine@30ms": "mine", "mine#float32": "mine", "random": ""} {
		if got, err := ModelPath(player); err != nil || got != want {
			t.Errorf("ModelPath(%q) = %q, %v; want %q", player, got, err, want)
		}
	}
}

// A player cannot use tables of endings in a game that has none. Parse reports this before it looks
// for the model file.
func TestParseWithoutTables(t *testing.T) {
	_, err := Parse("box#tables:8", Env{Game: noughts})
	if !errors.As(err, new(NameError)) || !strings.Contains(err.Error(), `"box#tables:8": there are no tables of endings for `+board.Name) {
		t.Errorf("box#tables is refused with %v", err)
	}
}

// NameWith replaces only the model in the name of a player. It keeps the changes and the budget.
func TestNameWith(t *testing.T) {
	env := Env{Game: noughts, Tables: true, Simulations: 100, Load: func(string) (*model.Checkpoint, error) { return tiny(), nil }}
	for player, want := range map[string]string{
		"box": "at:100", "box:8": "at:8", "box#float32": "at#float32:100", "box#tables:8": "at#tables:8", "box#float32#tables": "at#float32#tables:100", "box#cpuct=2.5#visits:8": "at#cpuct=2.5#visits:8",
		"box@20ms": "at@20ms", "greedy": "greedy",
	} {
		if c, err := Parse(player, env); err != nil || c.NameWith("at") != want {
			t.Errorf("%q is called %q, %v; want %q", player, c.NameWith("at"), err, want)
		}
	}
	for player, same := range map[string]bool{"box:8": true, "mcts:100": true, "mcts@100ms": false, "alphabeta@20n": true, "m@b:9": true, "box@20ms": false, "alphabeta@1s": false, "cmd:./x": false} {
		if err := Portable(player, nil); (err == nil) != same {
			t.Errorf("Portable(%q) = %v", player, err)
		}
	}
}

// tiny returns a small network with random weights.
func tiny() *model.Checkpoint {
	sizes := model.DefaultResidual()
	sizes.Channels, sizes.Blocks = 16, 1
	network := model.Network{Body: sizes}
	return model.NewCheckpoint(model.Meta{Game: board.Name}, network.For(board.Spec), rand.New(rand.NewPCG(1, 1)))
}
