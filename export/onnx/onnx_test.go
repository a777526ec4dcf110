package onnx

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"dojo/engine"
	"dojo/model"
)

// networks have every kind of layer that there is.
var networks = map[string]model.Network{
	"conv policy":  {Planes: engine.Shape{C: 6, H: 5, W: 5}, Actions: 50, Channels: 32, Blocks: 2, PolicyPlanes: 2, ValuePlanes: 4, ValueFeatures: 8},
	"dense policy": {Planes: engine.Shape{C: 4, H: 2, W: 6}, Actions: 13, Channels: 16, Blocks: 3, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8, Margin: 20},
	"pooling":      {Planes: engine.Shape{C: 5, H: 3, W: 4}, Actions: 12, Channels: 16, Blocks: 2, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8, Margin: 20, Pooling: true, TurnsLeft: 30},
	"sparse":       {Kind: model.Sparse, Planes: engine.Shape{C: 3, H: 5, W: 5}, Actions: 70, Margin: 20, Sparse: model.SparseSizes{Columns: 64, Policy: 32, Value: 32, Hidden: 16, Features: 90, Active: 30}},
}

// lively returns a checkpoint with random weights, and with ranges if it can be written in
// 8 bits, and positions as input of ONNX and as a batch. All actions of a sparse network's
// positions are legal.
func lively(n model.Network, rows int) (c *model.Checkpoint, input []float32, b *model.Batch) {
	rng := rand.New(rand.NewPCG(1, 2))
	c = model.NewCheckpoint(model.Meta{Game: "game", Name: "lively"}, n, rng)
	for _, p := range n.Params() {
		fan := max(1, p.Size()/p.Shape[len(p.Shape)-1])
		if p.Name == "value.out.weight" {
			fan *= 100 // or tanh is flat
		}
		for i := range c.Tensors[p.Name] {
			c.Tensors[p.Name][i] = float32(rng.NormFloat64() * math.Sqrt(1.5/float64(fan)))
		}
	}
	spec := engine.Spec{Planes: n.Planes, Actions: n.Actions}
	if n.Kind == model.Sparse {
		b = model.NewListBatch(spec, rows)
		b.N, input = rows, make([]float32, rows*n.Sparse.Features)
		for row := range rows {
			for _, f := range rng.Perm(n.Sparse.Features)[:1+rng.IntN(n.Sparse.Active)] {
				b.Lists.Features = append(b.Lists.Features, uint16(f))
				input[row*n.Sparse.Features+f] = 1
			}
			for a := range n.Actions {
				b.Lists.Legal = append(b.Lists.Legal, engine.Action(a))
			}
			b.Lists.EndRow()
		}
		return c, input, b
	}
	b = model.NewBatch(spec, rows)
	b.N = rows
	for i := range b.Planes {
		b.Planes[i] = float32(rng.IntN(2)) * rng.Float32()
	}
	c.Calibrate(b.Planes)
	return c, b.Planes, b
}

// onnxruntime computes the same as our evaluators.
func TestOnnxruntimeAgrees(t *testing.T) {
	if _, err := os.Stat("independent/node_modules"); err != nil {
		t.Skip("install onnxruntime with: npm install --prefix export/onnx/independent --no-package-lock")
	}
	const rows = 40
	for name, n := range networks {
		for _, p := range []model.Precision{model.Float32, model.Int8} {
			if n.Kind == model.Sparse && p == model.Int8 {
				continue // TestSparseIsInFloats
			}
			t.Run(name+" "+string(p), func(t *testing.T) {
				c, input, b := lively(n, rows)
				b.Others = map[string][]float32{"turns_left": make([]float32, rows)}
				e, err := c.Evaluator(p)
				if err != nil {
					t.Fatal(err)
				}
				if err := e.Evaluate(context.Background(), b); err != nil {
					t.Fatal(err)
				}
				got := run(t, c, p, input, rows)
				if !slices.Equal(got.Policy.Dims, []int{rows, n.Actions}) || !slices.Equal(got.Value.Dims, []int{rows}) {
					t.Errorf("shapes %v and %v", got.Policy.Dims, got.Value.Dims)
				}
				if n.Margin > 0 && len(got.Margin.Data) != rows {
					t.Errorf("%d margins, want %d", len(got.Margin.Data), rows)
				}
				compare(t, "logit", got.Policy.Data, b.Logits)
				compare(t, "value", got.Value.Data, b.Values)
				if n.TurnsLeft > 0 {
					compare(t, "turns left", got.TurnsLeft.Data, b.Others["turns_left"])
				}
			})
		}
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

// output is what check.mjs prints.
type output struct {
	Policy, Value, Margin values
	TurnsLeft             values `json:"turns_left"`
}

type values struct {
	Dims []int
	Data []float32
}

func run(t *testing.T, c *model.Checkpoint, p model.Precision, input []float32, rows int) (out output) {
	t.Helper()
	dir := t.TempDir()
	var file bytes.Buffer
	if err := Write(&file, c, p, map[string]string{"note": "a test"}); err != nil {
		t.Fatal(err)
	}
	at, in := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "input")
	for path, data := range map[string][]byte{at: file.Bytes(), in: floats(input)} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"check.mjs", at, in}
	shape := []int{rows, c.Planes.H, c.Planes.W, c.Planes.C}
	if c.Kind == model.Sparse {
		shape = []int{rows, c.Sparse.Features}
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

func TestInt8NeedsRanges(t *testing.T) {
	c, _, _ := lively(networks["conv policy"], 10)
	c.Ranges = nil
	if err := Write(&bytes.Buffer{}, c, model.Int8, nil); err == nil {
		t.Error("a model without ranges is written in 8 bits")
	}
}

func TestSparseIsInFloats(t *testing.T) {
	c, _, _ := lively(networks["sparse"], 10)
	err := Write(&bytes.Buffer{}, c, model.Int8, nil)
	if want := "model lively is a sparse network, which is written as ONNX in float32 only"; err == nil || err.Error() != want {
		t.Errorf("in 8 bits: %v, want %s", err, want)
	}
}
