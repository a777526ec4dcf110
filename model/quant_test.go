package model_test

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/model/kernel"
)

// opinionated returns a calibrated checkpoint whose outputs differ from position to position.
func opinionated(planes []float32) *model.Checkpoint {
	c := checkpoint()
	rng := rand.New(rand.NewPCG(4, 4))
	for _, p := range c.Params() {
		t := c.Tensors[p.Name]
		fan := max(1, len(t)/p.Shape[len(p.Shape)-1])
		for i := range t {
			t[i] = float32(rng.NormFloat64() * math.Sqrt(1.5/float64(fan)))
		}
	}
	c.Calibrate(batch(spec, planes).Input)
	return c
}

func boards(n int) []float32 {
	rng := rand.New(rand.NewPCG(5, 5))
	planes := make([]float32, n*100)
	for i := range planes {
		if planes[i] = float32(rng.IntN(2)); rng.IntN(20) == 0 {
			planes[i] = rng.Float32()
		}
	}
	return planes
}

// A network's answers in 8 bits are nearly the same as in floats. They do not depend on the other
// positions in the batch.
func TestQuantIsClose(t *testing.T) {
	const n = 200
	c := opinionated(boards(n))
	b, q := batch(spec, boards(n)), batch(spec, boards(n))
	quant, err := c.Evaluator(model.Best)
	if err != nil || !quant.(*model.Net).Int8() {
		t.Fatal("a checkpoint with ranges does not play in 8 bits:", err)
	}
	for e, batch := range map[model.Evaluator]*model.Batch{model.NewNet(c): b, quant: q} {
		if err := e.Evaluate(context.Background(), batch); err != nil {
			t.Fatal(err)
		}
	}
	var kl, off, spread float64
	for row := range n {
		kl += divergence(b.Logits[row*50:(row+1)*50], q.Logits[row*50:(row+1)*50])
		off += math.Abs(float64(b.Values[row] - q.Values[row]))
		spread += math.Abs(float64(b.Values[row]))
	}
	t.Logf("mean divergence %.2g nats, value off by %.2g of %.2g", kl/n, off/n, spread/n)
	if kl/n > 0.003 || off/n > 0.03 || spread/n < 0.1 || kl == 0 {
		t.Errorf("mean divergence %v, value off by %v of %v", kl/n, off/n, spread/n)
	}
	if allocs := testing.AllocsPerRun(5, func() {
		if err := quant.Evaluate(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 && kernel.Name() != "portable" {
		t.Errorf("%v allocations an evaluation", allocs)
	}
	for row := range n {
		one := batch(spec, boards(n)[row*100:(row+1)*100])
		if err := quant.Evaluate(context.Background(), one); err != nil {
			t.Fatal(err)
		}
		if one.Values[0] != q.Values[row] || !slices.Equal(one.Logits, q.Logits[row*50:(row+1)*50]) {
			t.Fatalf("row %d differs alone and among others", row)
		}
	}
}

// divergence returns the Kullback–Leibler divergence KL(p‖q) in nats, where p and q are given by
// their logits.
func divergence(p, q []float32) (kl float64) {
	softmax := func(x []float32) []float64 {
		var sum float64
		out := make([]float64, len(x))
		for i, v := range x {
			out[i] = math.Exp(float64(v))
			sum += out[i]
		}
		for i := range out {
			out[i] /= sum
		}
		return out
	}
	a, b := softmax(p), softmax(q)
	for i := range a {
		kl += a[i] * math.Log(a[i]/b[i])
	}
	return kl
}

// If a channel or a whole layer returns only zeros during calibration, the 8-bit results are still
// right when it becomes active later.
func TestSilentChannelsAreHeard(t *testing.T) {
	shape := model.Network{Planes: engine.Shape{C: 4, H: 3, W: 3}, Actions: 9, Body: model.Residual{Channels: 16, Blocks: 1, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}}
	for name, measured := range map[string][]float32{
		"one channel": {1, 1, 1, 0}, // only the rare channel reads plane 3, and plane 3 is 0
		"all layers":  {0, 0, 0, 0},
	} {
		c := model.NewCheckpoint(model.Meta{Name: "silent"}, shape, rand.New(rand.NewPCG(2, 2)))
		const rare, centre = 5, 4
		stem, policy := c.Tensors["stem.weight"], c.Tensors["policy.weight"]
		for i := range stem { // the layout is [3][3][4][16]
			if (i/16%4 == 3) != (i%16 == rare) {
				stem[i] = 0
			}
		}
		stem[(centre*4+3)*16+rare] = 0.1
		for i := range policy { // the layout is [16][1]; only the rare channel gets a weight
			policy[i] = 0
			if i == rare {
				policy[i] = 10
			}
		}
		spec := engine.Spec{Planes: shape.Planes, Actions: 9}
		c.Calibrate(batch(spec, slices.Repeat(measured, 9)).Input)
		if c.Ranges[len(c.Ranges)-16+rare] != 0 {
			t.Fatalf("%s: the rare channel was not silent: %v", name, c.Ranges)
		}
		quant, err := model.NewNet8(c)
		if err != nil {
			t.Fatal(err)
		}
		planes := make([]float32, shape.Planes.Size())
		planes[centre*4+3] = 1
		b := batch(spec, planes)
		var logits [2]float32
		for i, e := range []model.Evaluator{model.NewNet(c), quant} {
			if err := e.Evaluate(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			logits[i] = b.Logits[centre]
		}
		if off := logits[0] - logits[1]; logits[0] < 0.9 || off < -0.1 || off > 0.1 {
			t.Errorf("%s: the rare channel says %.3f in 8 bits, %.3f in floats", name, logits[1], logits[0])
		}
	}
}

// Every plane has its own range. In 8 bits, flags (0 or 1) are exact. Counts divided by a constant
// are also exact, even if they later become twice as large as during calibration. A plane that is
// zero during calibration can later have values as large as any other plane.
func TestPlanesHaveTheirOwnRanges(t *testing.T) {
	c := model.NewCheckpoint(model.Meta{}, model.Network{Planes: engine.Shape{C: 6, H: 3, W: 3}, Actions: 9, Body: model.Residual{Channels: 16, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}}, rand.New(rand.NewPCG(2, 2)))
	rng := rand.New(rand.NewPCG(3, 3))
	var planes, later []float32
	for range 9 * 50 {
		planes = append(planes, float32(rng.IntN(2)), float32(rng.IntN(34))/10, float32(rng.IntN(4))/48, float32(rng.IntN(40))/35, 1, 0)
		later = append(later, 1, float32(rng.IntN(41))/10, float32(rng.IntN(7))/48, float32(rng.IntN(63))/35, 1, float32(rng.IntN(4)))
	}
	c.Calibrate(batch(engine.Spec{Planes: c.Planes, Actions: 9}, planes).Input)
	all, err := c.Activations()
	if err != nil {
		t.Fatal(err)
	}
	a := all[""]
	for i, v := range slices.Concat(planes, later) {
		counted := float64(v * a.Inverse[i%6])
		if counted > 127.001 || math.Abs(counted-math.Round(counted)) > 1e-3 {
			t.Fatalf("plane %d: %v is %.4f units", i%6, v, counted)
		}
	}
}

// In 8 bits, a plane with large numbers does not reduce the precision of a plane with small
// fractions.
func TestLargePlaneBesideSmallOne(t *testing.T) {
	shape := engine.Shape{C: 5, H: 5, W: 5} // the 5 channels will be padded to 8
	n := model.Network{Planes: shape, Actions: 25, Body: model.Residual{Channels: 16, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}}
	c := model.NewCheckpoint(model.Meta{}, n, rand.New(rand.NewPCG(2, 2)))
	for i := range c.Tensors["stem.weight"] { // the layout is [3][3][5][16]
		if i/16%5 == 0 {
			c.Tensors["stem.weight"][i] = 0
		}
	}
	const boards = 40
	planes := make([]float32, boards*shape.Size())
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range planes {
		planes[i] = float32(rng.IntN(20)) / 48
		if i%5 == 0 {
			planes[i] = 20
		}
	}
	b := batch(engine.Spec{Planes: shape, Actions: 25}, planes)
	c.Calibrate(b.Input)
	quant, err := model.NewNet8(c)
	if err != nil {
		t.Fatal(err)
	}
	var logits [2][]float32
	for i, e := range []model.Evaluator{model.NewNet(c), quant} {
		if err := e.Evaluate(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		logits[i] = slices.Clone(b.Logits)
	}
	if off, spread := distance(logits[1], logits[0]); off > 0.1*spread {
		t.Errorf("logits are off by %v of %v", off, spread)
	}
}

// A checkpoint stores its ranges, and Decode rejects impossible ranges. With the precision best or
// float32, a checkpoint without ranges plays in floats. With int8, Evaluator returns an error that
// names the checkpoint.
func TestRanges(t *testing.T) {
	c := opinionated(boards(50))
	path := filepath.Join(t.TempDir(), "c.safetensors")
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := model.Load(path)
	if err != nil || !slices.Equal(got.Ranges, c.Ranges) || got.Hash() != c.Hash() {
		t.Errorf("ranges %v came back as %v, %v", c.Ranges, got.Ranges, err)
	}
	for says, ranges := range map[string][]float32{
		"ranges of activations contain -1": append([]float32{-1}, c.Ranges[1:]...),
		"it has 3":                         c.Ranges[:3],
	} {
		bad := *c
		bad.Ranges = ranges
		if err := bad.Save(path); err != nil {
			t.Fatal(err)
		}
		if _, err := model.Load(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("ranges %v give %v, want %q", ranges[:3], err, says)
		}
	}
	c.Calibrate(batch(spec, slices.Repeat([]float32{-1}, spec.Planes.Size())).Input)
	if _, err := model.NewNet8(c); err == nil || len(c.Ranges) != 0 {
		t.Error("negative planes have ranges")
	}
	for _, p := range []model.Precision{model.Best, model.Float32} {
		if e, err := c.Evaluator(p); err != nil {
			t.Errorf("a checkpoint without ranges as %s: %v", p, err)
		} else if e.(*model.Net).Int8() {
			t.Errorf("a checkpoint without ranges plays as %s in 8 bits", p)
		}
	}
	if e, err := c.Evaluator(model.Int8); e != nil || err == nil || !strings.Contains(err.Error(), c.Name) {
		t.Errorf("a checkpoint without ranges plays in 8 bits: %v, %v", e, err)
	}
	if err := model.Precision("int4").Validate(); err == nil {
		t.Error("int4 is let through")
	}
}
