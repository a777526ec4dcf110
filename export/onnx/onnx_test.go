package onnx

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"dojo.example/engine"
	"dojo.example/model"
)

// networks has a network with each kind of layer.
var networks = map[string]model.Network{
	"conv policy":  {Planes: engine.Shape{C: 6, H: 5, W: 5}, Actions: 50, Body: model.Residual{Channels: 32, Blocks: 2, PolicyPlanes: 2, ValuePlanes: 4, ValueFeatures: 8}},
	"dense policy": {Planes: engine.Shape{C: 4, H: 2, W: 6}, Actions: 13, Margin: 20, Body: model.Residual{Channels: 16, Blocks: 3, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8}},
	"sparse":       {Planes: engine.Shape{C: 3, H: 5, W: 5}, Actions: 70, Margin: 20, Body: model.Sparse{Columns: 64, Policy: 32, Value: 32, Hidden: 16, Features: 90, Active: 30}},
	"rows":         {Planes: engine.Shape{C: 3, H: 5, W: 5}, Actions: 70, Body: model.Sparse{Columns: 64, Policy: 32, Value: 32, Hidden: 16, Features: 90, Active: 30, ActionRows: true, ActionFeatures: 12, PerAction: 2}},
}

// lively returns a checkpoint with random weights. It also returns random positions, both as input
// of ONNX and as a batch. If the network can play in 8 bits, the checkpoint holds the ranges of its
// activations. In positions for a sparse network, all actions are legal.
func lively(n model.Network, rows int) (c *model.Checkpoint, input []float32, b *model.Batch) {
	rng := rand.New(rand.NewPCG(1, 2))
	c = model.NewCheckpoint(model.Meta{Game: "game", Name: "lively"}, n, rng)
	for _, p := range n.Params() {
		fan := max(1, p.Size()/p.Shape[len(p.Shape)-1])
		if p.Name == "value.out.weight" {
			fan *= 100 // makes the weights so small that tanh does not saturate
		}
		for i := range c.Tensors[p.Name] {
			c.Tensors[p.Name][i] = float32(rng.NormFloat64() * math.Sqrt(1.5/float64(fan)))
		}
	}
	b = &model.Batch{Input: n.NewInput()}
	legal := make([]engine.Action, n.Actions)
	for a := range legal {
		legal[a] = engine.Action(a)
	}
	for range rows {
		if s, ok := n.Body.(model.Sparse); ok {
			row := make([]float32, s.Features)
			for _, f := range rng.Perm(s.Features)[:1+rng.IntN(s.Active)] {
				b.Input.Features, row[f] = append(b.Input.Features, uint16(f)), 1
			}
			b.Input.Legal = append(b.Input.Legal, legal...)
			for range s.PerAction * n.Actions {
				b.Input.ActionFeatures = append(b.Input.ActionFeatures, uint16(rng.IntN(s.ActionFeatures)))
			}
			b.Input.EndRow()
			input = append(input, row...)
			continue
		}
		planes := make([]float32, n.Planes.Size())
		for i := range planes {
			planes[i] = float32(rng.IntN(2)) * rng.Float32()
		}
		b.Input.Planes = append(b.Input.Planes, planes...)
		b.Input.Legal = append(b.Input.Legal, legal...)
		b.Input.EndRow()
		input = append(input, planes...)
	}
	b.Fit()
	return c, input, b
}

// onnxruntime computes the same outputs as our evaluators.
func TestOnnxruntimeAgrees(t *testing.T) {
	if _, err := os.Stat("independent/node_modules"); err != nil {
		t.Skip("install onnxruntime with: npm install --prefix export/onnx/independent --no-package-lock")
	}
	const rows = 40
	for name, n := range networks {
		t.Run(name, func(t *testing.T) {
			c, input, b := lively(n, rows)
			if err := model.NewNet(c).Evaluate(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			got := run(t, c, input, b.Input.ActionFeatures, rows)
			if !slices.Equal(got.Policy.Dims, []int{rows, n.Actions}) || !slices.Equal(got.Value.Dims, []int{rows}) {
				t.Errorf("shapes %v and %v", got.Policy.Dims, got.Value.Dims)
			}
			if n.Margin > 0 && len(got.Margin.Data) != rows {
				t.Errorf("%d margins, want %d", len(got.Margin.Data), rows)
			}
			compare(t, "logit", got.Policy.Data, b.Logits)
			compare(t, "value", got.Value.Data, b.Values)
		})
	}
}

func compare(t *testing.T, what string, got, want []float32) {
	t.Helper()
	var most float64
	for i, x := range want {
		most = max(most, math.Abs(float64(got[i]-x)))
	}
	if most > 1e-4 || slices.Max(want) == slices.Min(want) {
		t.Errorf("%ss differ by %v, want at most 1e-4", what, most)
	}
}

// output holds what check.mjs prints.
type output struct {
	Policy, Value, Margin values
}

type values struct {
	Dims []int
	Data []float32
}

func run(t *testing.T, c *model.Checkpoint, input []float32, ofActions []uint16, rows int) (out output) {
	t.Helper()
	dir := t.TempDir()
	var file bytes.Buffer
	if err := Write(&file, c, nil, map[string]string{"note": "a test"}); err != nil {
		t.Fatal(err)
	}
	at, in := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "input")
	var numbers []int64
	for _, f := range ofActions {
		numbers = append(numbers, int64(f))
	}
	for path, data := range map[string][]byte{at: file.Bytes(), in: data(input), in + ".actions": data(numbers)} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"check.mjs", at, in}
	shape := []int{rows, c.Planes.H, c.Planes.W, c.Planes.C}
	if s, ok := c.Body.(model.Sparse); ok {
		shape = []int{rows, s.Features}
	}
	for _, n := range shape {
		args = append(args, strconv.Itoa(n))
	}
	cmd := exec.Command("node", args...)
	cmd.Dir = "independent"
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
