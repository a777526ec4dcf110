package model_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/model/kernel"
)

// toys are small networks of the residual kind for tests. Together they cover every kind of layer
// and head that such networks have, on boards of several sizes.
var toys = map[string]model.Network{
	"conv policy":  {Planes: engine.Shape{C: 5, H: 5, W: 5}, Actions: 50, Body: model.Residual{Channels: 16, Blocks: 3, PolicyPlanes: 3, ValuePlanes: 3, ValueFeatures: 7}},
	"dense policy": {Planes: engine.Shape{C: 4, H: 2, W: 6}, Actions: 13, Margin: 20, Body: model.Residual{Channels: 32, Blocks: 1, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8}},
	"margin":       {Planes: engine.Shape{C: 3, H: 3, W: 4}, Actions: 24, Margin: 20, Body: model.Residual{Channels: 16, Blocks: 2, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8}},
}

// toy returns a checkpoint with random weights, a batch of random boards on which the checkpoint is
// calibrated, and the planes of these boards.
func toy(n model.Network, boards int) (*model.Checkpoint, *model.Batch, []float32) {
	rng := rand.New(rand.NewPCG(8, 8))
	c := model.NewCheckpoint(model.Meta{Name: "toy"}, n, rng)
	for _, p := range n.Params() {
		t := c.Tensors[p.Name]
		fan := max(1, len(t)/p.Shape[len(p.Shape)-1])
		for i := range t {
			t[i] = float32(rng.NormFloat64() * math.Sqrt(1.5/float64(fan)))
		}
	}
	planes := make([]float32, boards*n.Planes.Size())
	for i := range planes {
		planes[i] = float32(rng.IntN(2)) / float32(1+i%n.Planes.C)
	}
	b := batch(engine.Spec{Planes: n.Planes, Actions: n.Actions}, planes)
	c.Calibrate(b.Input)
	return c, b, planes
}

// apply computes a layer for one board with simple loops: no packed weights and no reused memory.
func apply(c *model.Checkpoint, l model.Layer, x, add []float32) []float32 {
	y := make([]float32, l.Out.Size())
	copy(y, add)
	w, bias := c.Tensors[l.Name+".weight"], c.Tensors[l.Name+".bias"]
	in, out := l.In.C, l.Out.C
	switch l.Kind {
	case model.Dense:
		for i, v := range x {
			for o := range out {
				y[o] += v * w[i*out+o]
			}
		}
	case model.Convolution:
		for i := range len(y) * l.K * l.K * in {
			o, i := i%out, i/out
			from, i := i%in, i/in
			kx, i := i%l.K-l.K/2, i/l.K
			ky, cell := i%l.K-l.K/2, i/l.K
			row, column := cell/l.In.W+ky, cell%l.In.W+kx
			if row >= 0 && row < l.In.H && column >= 0 && column < l.In.W {
				tap := (ky+l.K/2)*l.K + kx + l.K/2
				y[cell*out+o] += x[(row*l.In.W+column)*in+from] * w[(tap*in+from)*out+o]
			}
		}
	}
	for i := range y {
		if bias != nil {
			y[i] += bias[i%out]
		}
		if l.ReLU {
			y[i] = max(0, y[i])
		}
	}
	return y
}

// A Net in floats computes exactly what the list of layers describes, even though its layers share
// memory. A Net in 8 bits computes nearly the same. After the first call, neither allocates memory.
func TestListIsWhatPlays(t *testing.T) {
	for name, n := range toys {
		const boards = 19
		c, b, planes := toy(n, boards)
		var want [2][]float32 // the logits, then the values
		for board := range boards {
			results := map[string][]float32{"": planes[board*n.Planes.Size():][:n.Planes.Size()]}
			for _, l := range c.Architecture().Layers {
				var add []float32
				if l.Add != "" {
					add = results[l.Add]
				}
				results[l.Name] = apply(c, l, results[l.From], add)
			}
			for _, h := range c.Architecture().Heads {
				y := slices.Clone(results[h.From])
				switch h.Kind {
				case model.Logits:
					want[0] = append(want[0], y...)
				case model.Win:
					want[1] = append(want[1], float32(math.Tanh(float64(y[0]))))
				}
			}
		}
		for precision, tolerance := range map[model.Precision]float64{model.Float32: 1e-5, model.Int8: 0.05} {
			e, err := c.Evaluator(precision)
			if err != nil {
				t.Fatal(err)
			}
			evaluate := func() {
				if err := e.Evaluate(context.Background(), b); err != nil {
					t.Fatal(err)
				}
			}
			evaluate()
			for i, got := range [][]float32{b.Logits, b.Values} {
				if off, spread := distance(got, want[i]); off > tolerance*spread {
					t.Errorf("%s, %s: output %d is off by %v of %v", name, precision, i, off, spread)
				}
			}
			if allocs := testing.AllocsPerRun(5, evaluate); allocs != 0 && kernel.Name() != "portable" {
				t.Errorf("%s, %s: %v allocations an evaluation", name, precision, allocs)
			}
		}
	}
}

// distance returns the mean absolute difference between got and want, and the mean absolute value
// of want.
func distance(got, want []float32) (off, spread float64) {
	for i, w := range want {
		off += math.Abs(float64(got[i]-w)) / float64(len(want))
		spread += math.Abs(float64(w)) / float64(len(want))
	}
	return off, spread
}

// TestOperations counts the operations layer by layer. A 3×3 convolution on a 3×4 board needs 7·10
// products for each pair of an input channel and an output channel. Layers that are needed only in
// training do not count.
func TestOperations(t *testing.T) {
	want := 70*(3*16+4*16*16) + // stem and two blocks
		12*16*2 + // policy
		12*16*2 + 24*8 + 8 // value
	if got := toys["margin"].Architecture().Operations(); got != 2*float64(want) {
		t.Errorf("%v operations, want %v", got, 2*want)
	}
}

// Leads returns the outputs of the margin head, in points. The test gives the last layer of the
// margin head the weights of the last layer of the value head. So if the value is tanh x, the lead
// must be x times Margin.
func TestLeads(t *testing.T) {
	for name, n := range toys {
		c, b, _ := toy(n, 9)
		for _, p := range []string{".weight", ".bias"} {
			c.Tensors["margin.out"+p] = c.Tensors["value.out"+p]
		}
		leads := c.Leads()
		if (leads != nil) != (n.Margin > 0) {
			t.Fatalf("%s: the leads are %v with the margin %d", name, leads, n.Margin)
		}
		if leads == nil {
			continue
		}
		var values []float32
		for _, e := range []model.Evaluator{model.NewNet(c), leads} {
			values = slices.Clone(b.Values)
			if err := e.Evaluate(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
		for i, lead := range b.Values {
			if got := float32(math.Tanh(float64(lead) / float64(n.Margin))); math.Abs(float64(got-values[i])) > 1e-5 {
				t.Errorf("%s, row %d: a lead of %v where the value is %v", name, i, lead, values[i])
			}
		}
	}
}

// Networks of different kinds and sizes have different hashes. Storing and reloading a network does
// not change it.
func TestKindsInHash(t *testing.T) {
	hashes := map[string]bool{}
	n := toys["conv policy"]
	for _, n.Body = range []model.Body{
		n.Body, model.Residual{Channels: 32}, model.Sparse{Columns: 32}, model.Sparse{Columns: 64}, model.Sparse{Columns: 64, ActionRows: true},
	} {
		// The checkpoint has no tensors, so its hash depends only on the description of the
		// network.
		c := &model.Checkpoint{Network: n}
		hashes[c.Hash()] = true
	}
	if len(hashes) != 5 {
		t.Errorf("five networks have %d hashes", len(hashes))
	}
	c, _, _ := toy(toys["margin"], 1)
	var file bytes.Buffer
	if err := c.Encode(&file); err != nil {
		t.Fatal(err)
	}
	if got, err := model.Decode(&file); err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("the toy came back as %+v, %v", got, err)
	}
}
