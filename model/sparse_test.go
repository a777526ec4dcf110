package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/internal/safetensors"
	"dojo.example/model"
	"dojo.example/model/kernel"
)

// sparseToy returns a sparse checkpoint with random weights and a batch of random positions. The
// checkpoint is calibrated on the batch.
func sparseToy(rows int) (*model.Checkpoint, *model.Batch) {
	spec := engine.Spec{Name: "toy", Version: 1, Planes: engine.Shape{C: 2, H: 2, W: 2}, Actions: 45, Features: 50, ActiveFeatures: 12}
	n := model.Network{Body: model.Sparse{Columns: 64, Policy: 32, Value: 16, Hidden: 16}}.For(spec)
	rng := rand.New(rand.NewPCG(3, 3))
	c := model.NewCheckpoint(model.Meta{Game: "toy", SpecVersion: 1, Name: "sparse"}, n, rng)
	for name, t := range c.Tensors {
		for i := range t {
			if t[i] *= 2; strings.HasSuffix(name, "bias") {
				t[i] = float32(i%5-2) / 10
			}
		}
	}
	b := &model.Batch{}
	for range rows {
		for _, f := range rng.Perm(spec.Features)[:1+rng.IntN(spec.ActiveFeatures)] {
			b.Input.Features = append(b.Input.Features, uint16(f))
		}
		for _, a := range rng.Perm(spec.Actions)[:1+rng.IntN(20)] {
			b.Input.Legal = append(b.Input.Legal, engine.Action(a))
		}
		b.Input.EndRow()
	}
	c.Calibrate(b.Input)
	b.Fit()
	return c, b
}

// plain computes a sparse network for one position with simple loops.
func plain(c *model.Checkpoint, features []uint16, legal []engine.Action) (logits []float32, value float32) {
	dense := func(name string, x []float32, relu bool) []float32 {
		w, y := c.Tensors[name+".weight"], slices.Clone(c.Tensors[name+".bias"])
		for o := range y {
			for i, v := range x {
				y[o] += v * w[i*len(y)+o]
			}
			if relu {
				y[o] = max(0, y[o])
			}
		}
		return y
	}
	input := make([]float32, c.Body.(model.Sparse).Features)
	for _, f := range features {
		input[f] = 1
	}
	x := dense("columns", input, true)
	p := dense("policy", x, true)
	for _, a := range legal {
		logit := c.Tensors["policy.out.bias"][a]
		for i, v := range p {
			logit += v * c.Tensors["policy.out.weight"][int(a)*len(p)+i]
		}
		logits = append(logits, logit)
	}
	v := dense("value.out", dense("value.hidden", dense("value", x, true), true), false)
	return logits, float32(math.Tanh(float64(v[0])))
}

// A sparse network computes what its architecture describes: nearly exactly in floats, and
// approximately in 8 bits. Its answer for a position does not depend on the other positions in the
// batch.
func TestSparseNetwork(t *testing.T) {
	const rows = 21
	c, b := sparseToy(rows)
	quant, err := model.NewNet8(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		evaluator model.Evaluator
		near      float64
	}{{model.NewNet(c), 1e-4}, {quant, 0.15}} {
		if b := model.NewBatch(x.evaluator); b.Input.HasPlanes() {
			t.Fatal("it reads planes")
		}
		if err := x.evaluator.Evaluate(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		spread := 0.0
		for row := range rows {
			features, legal := b.Input.FeaturesOf(row), b.Input.LegalOf(row)
			from, to := b.Input.LegalRange(row, row+1)
			wantLogits, want := plain(c, features, legal)
			if math.Abs(float64(b.Values[row]-want)) > x.near {
				t.Errorf("row %d: value %v, want %v", row, b.Values[row], want)
			}
			for i, logit := range b.Logits[from:to] {
				spread = max(spread, math.Abs(float64(logit)))
				if math.Abs(float64(logit-wantLogits[i])) > x.near {
					t.Errorf("row %d, action %d: logit %v, want %v", row, legal[i], logit, wantLogits[i])
				}
			}
			one := &model.Batch{Logits: make([]float32, len(legal)), Values: make([]float32, 1)}
			one.Input.Features, one.Input.Legal = features, legal
			one.Input.EndRow()
			if err := x.evaluator.Evaluate(context.Background(), one); err != nil {
				t.Fatal(err)
			}
			if one.Values[0] != b.Values[row] || !slices.Equal(one.Logits, b.Logits[from:to]) {
				t.Fatalf("row %d is answered differently alone", row)
			}
		}
		if spread < 0.3 {
			t.Errorf("logits go up to %v only", spread)
		}
		if allocations := testing.AllocsPerRun(5, func() { _ = x.evaluator.Evaluate(context.Background(), b) }); allocations > 0 && kernel.QuantName() != "portable" {
			t.Errorf("an evaluation allocates %v times", allocations)
		}
	}
}

// If a batch contains a feature or an action that the network does not have, Evaluate returns a
// one-line error, in floats and in 8 bits. Afterwards, the batch can still be used.
func TestInputOutsideTheNetwork(t *testing.T) {
	c, b := sparseToy(9)
	quant, err := model.NewNet8(c)
	if err != nil {
		t.Fatal(err)
	}
	feature, action := b.Input.Features[3], b.Input.Legal[5]
	for _, e := range []model.Evaluator{model.NewNet(c), quant} {
		b.Input.Features[3] = 50
		if err := e.Evaluate(t.Context(), b); err == nil || err.Error() != "model sparse: the game lists feature 50, but the numbers must be less than 50" {
			t.Errorf("a feature too many: %v", err)
		}
		b.Input.Features[3], b.Input.Legal[5] = feature, 45
		if err := e.Evaluate(t.Context(), b); err == nil || err.Error() != "model sparse: the game lists action 45, but the numbers must be less than 45" {
			t.Errorf("an action too many: %v", err)
		}
		b.Input.Legal[5] = action
		if err := e.Evaluate(t.Context(), b); err != nil {
			t.Error(err)
		}
		crowd := &model.Batch{Logits: make([]float32, 1), Values: make([]float32, 1)}
		for f := range 13 {
			crowd.Input.Features = append(crowd.Input.Features, uint16(f))
		}
		crowd.Input.EndRow()
		if err := e.Evaluate(t.Context(), crowd); err == nil || !strings.Contains(err.Error(), "the game lists 13 active features for a position, but the maximum is 12") {
			t.Errorf("too many active features: %v", err)
		}
	}
}

// CheckGame rejects games whose numbers of features or actions are impossible for a sparse network.
func TestSparseGames(t *testing.T) {
	body := model.DefaultSparse()
	body.ActionRows = true
	n := model.Network{Body: body}
	spec := engine.Spec{Name: "toy", Planes: engine.Shape{C: 1, H: 1, W: 1}, Actions: 2, Features: 1 << 16, ActiveFeatures: 30}
	if err := n.CheckGame(spec); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*engine.Spec){
		"toy lists none":                      func(s *engine.Spec) { s.Features = 0 },
		"cannot play toy: 65537":              func(s *engine.Spec) { s.Features++ },
		"of which up to 0 are active":         func(s *engine.Spec) { s.ActiveFeatures = 0 },
		"of which up to 65537 are active":     func(s *engine.Spec) { s.ActiveFeatures = 1<<16 + 1 },
		"65530 actions and 7 action features": func(s *engine.Spec) { s.Actions, s.ActionFeatures, s.PerAction = 65530, 7, 1 },
	} {
		wrong := spec
		change(&wrong)
		if err := n.CheckGame(wrong); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %q", wrong, err, want)
		}
	}
}

// Writing and reading back a sparse checkpoint does not change it.
func TestSparseCheckpoint(t *testing.T) {
	c, _ := sparseToy(30)
	var file bytes.Buffer
	if err := c.Encode(&file); err != nil {
		t.Fatal(err)
	}
	got, err := model.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	if got.Network != c.Network || got.Hash() != c.Hash() || !slices.Equal(got.Ranges, c.Ranges) {
		t.Errorf("read %+v, hash %s; wrote %+v, %s", got.Network, got.Hash(), c.Network, c.Hash())
	}
	spec := engine.Spec{Name: "toy", Version: 1, Planes: c.Planes, Actions: 45, Features: 50, ActiveFeatures: 12}
	if err := got.Check(spec); err != nil {
		t.Error(err)
	}
	spec.Features = 51
	if err := got.Check(spec); err == nil || !strings.Contains(err.Error(), "50 features") {
		t.Errorf("a game with other features: %v", err)
	}
}

// A checkpoint whose network has Half stores the columns in 16 bits, which makes its file about
// 2 bytes per weight shorter. It is the same after reading. Its hash differs from that of a network
// without Half, even if all parameters are equal.
func TestHalfColumns(t *testing.T) {
	c, b := sparseToy(30)
	encoded := func(c *model.Checkpoint) []byte {
		t.Helper()
		var file bytes.Buffer
		if err := c.Encode(&file); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	whole := encoded(c)
	if bytes.Contains(whole, []byte("half")) || bytes.Contains(whole, []byte("F16")) {
		t.Error("a checkpoint without Half mentions it")
	}
	body := c.Body.(model.Sparse)
	body.Half = true
	c.Body = body
	if err := c.Encode(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "tensor columns.weight contains ") {
		t.Errorf("columns that are not rounded are written: %v", err)
	}
	c.Round()
	half := encoded(c)
	if saved := len(whole) - len(half); saved < 2*50*64-100 || saved > 2*50*64 {
		t.Errorf("the file has %d bytes, and %d without Half", len(half), len(whole))
	}
	got, err := model.Decode(bytes.NewReader(half))
	if err != nil {
		t.Fatal(err)
	}
	if got.Network != c.Network || got.Hash() != c.Hash() || !bytes.Equal(encoded(got), half) {
		t.Errorf("read %+v, hash %s; wrote %+v, %s", got.Network, got.Hash(), c.Network, c.Hash())
	}
	for _, x := range []*model.Checkpoint{c, got} { // both play alike
		quant, err := model.NewNet8(x)
		if err != nil {
			t.Fatal(err)
		}
		values := slices.Clone(b.Values)
		if err := quant.Evaluate(t.Context(), b); err != nil || x == got && !slices.Equal(values, b.Values) {
			t.Errorf("values %v and %v, %v", values, b.Values, err)
		}
	}
	whole32 := *c
	body.Half = false
	whole32.Body = body
	if whole32.Hash() == c.Hash() {
		t.Error("the hash does not depend on Half")
	}
	n := model.Network{Body: model.Sparse{Columns: 64, Policy: 32, Value: 16, Hidden: 16, Half: true}}
	n = n.For(engine.Spec{Name: "toy", Version: 1, Planes: engine.Shape{C: 2, H: 2, W: 2}, Actions: 45, Features: 50, ActiveFeatures: 12})
	encoded(model.NewCheckpoint(model.Meta{Game: "toy"}, n, rand.New(rand.NewPCG(3, 3)))) // a new checkpoint is rounded
}

// Decode refuses columns whose type contradicts the architecture, and infinite numbers.
func TestWrongHalfColumns(t *testing.T) {
	c, _ := sparseToy(5)
	body := c.Body.(model.Sparse)
	body.Half = true
	c.Body = body
	c.Round()
	var file bytes.Buffer
	if err := c.Encode(&file); err != nil {
		t.Fatal(err)
	}
	meta, tensors, err := safetensors.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tensors, func(x safetensors.Tensor) bool { return x.Name == "columns.weight" })
	for _, x := range []struct {
		change func()
		want   string
	}{
		{func() { tensors[i].Half = false }, "tensor columns.weight has 16 bits: false, but its architecture says true"},
		{func() { meta["architecture"] = strings.Replace(meta["architecture"], `"half":true`, `"half":false`, 1) }, ""},
		{func() { tensors[i].Half = true }, "tensor columns.weight has 16 bits: true, but its architecture says false"},
		{func() { meta["architecture"] = strings.Replace(meta["architecture"], `"half":false`, `"half":true`, 1) }, ""},
		{func() { tensors[i].Data[7] = float32(math.Inf(1)) }, "tensor columns.weight contains +Inf"},
	} {
		x.change()
		file.Reset()
		if err := safetensors.Write(&file, meta, tensors); err != nil {
			t.Fatal(err)
		}
		if _, err := model.Decode(&file); (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, want %q", err, x.want)
		}
	}
}

// If the kind or the sizes of a network are wrong, the error is one line and names the mistake.
func TestSparseMistakes(t *testing.T) {
	c, b := sparseToy(4)
	if err := json.Unmarshal([]byte(`{"kind":"dense"}`), new(model.Network)); err == nil || err.Error() != `kind: "dense" is neither residual nor sparse` {
		t.Errorf("an unknown kind: %v", err)
	}
	s := model.DefaultSparse()
	for key, size := range map[string]*int{"columns": &s.Columns, "policy": &s.Policy, "value": &s.Value, "hidden": &s.Hidden} {
		was := *size
		for _, *size = range []int{0, 24, 8192} {
			if err := (model.Network{Body: s}).Validate(); err == nil || !strings.HasPrefix(err.Error(), "sparse: "+key+": ") {
				t.Errorf("%s %d: %v", key, *size, err)
			}
		}
		*size = was
	}
	if err := (model.Network{Body: s}).Validate(); err != nil {
		t.Error(err)
	}
	b.Input = engine.PlaneInput(c.Planes)
	if err := model.NewNet(c).Evaluate(context.Background(), b); err == nil || err.Error() != "model sparse reads features, but the batch has none" {
		t.Errorf("a batch of planes: %v", err)
	}
	wrong := c.Body.(model.Sparse)
	wrong.Active = 51
	c.Body = wrong
	var file bytes.Buffer
	if err := c.Encode(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := model.Decode(&file); err == nil || !strings.Contains(err.Error(), "its architecture is impossible") {
		t.Errorf("more active features than features: %v", err)
	}
}

// Decode rejects a sparse checkpoint with too few or too many ranges. A sparse network has no
// ranges for planes, not even the single range for all planes that older residual checkpoints have.
func TestSparseRanges(t *testing.T) {
	c, _ := sparseToy(5)
	if want := 64 + 32 + 16; len(c.Ranges) != want {
		t.Fatalf("it has %d ranges, want %d", len(c.Ranges), want)
	}
	for _, ranges := range [][]float32{c.Ranges[1:], slices.Insert(slices.Clone(c.Ranges), 0, 1)} {
		wrong := *c
		wrong.Ranges = ranges
		var file bytes.Buffer
		if err := wrong.Encode(&file); err != nil {
			t.Fatal(err)
		}
		if _, err := model.Decode(&file); err == nil || !strings.Contains(err.Error(), "ranges of activations, but its architecture needs 112") {
			t.Errorf("with %d ranges: %v", len(ranges), err)
		}
	}
}
