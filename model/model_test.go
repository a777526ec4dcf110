package model_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/internal/safetensors"
	"dojo.example/model"
)

var spec = engine.Spec{Name: "game", Version: 3, Actions: 50, Planes: engine.Shape{C: 4, H: 5, W: 5}}

func checkpoint() *model.Checkpoint {
	n := model.Network{Body: model.Residual{Channels: 16, Blocks: 2, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}}.For(spec)
	meta := model.Meta{Game: "game", SpecVersion: 3, Name: "000007", Parent: "000006", Step: 123, Seed: math.MaxUint64, ProgramVersion: "v1"}
	return model.NewCheckpoint(meta, n, rand.New(rand.NewPCG(1, 1)))
}

func TestCheckpointRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.safetensors")
	want := checkpoint()
	if err := want.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := model.Load(path)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("loaded %+v, %v", got, err)
	}
	if got.Hash() != want.Hash() || len(got.Hash()) != 16 {
		t.Errorf("hashes %s and %s", got.Hash(), want.Hash())
	}
	got.Tensors["stem.bias"][0]++
	if got.Hash() == want.Hash() {
		t.Error("a changed parameter has the same hash")
	}
}

// batch returns a batch of boards in which all actions are legal. planes has the planes of all
// boards, one board after another.
func batch(spec engine.Spec, planes []float32) *model.Batch {
	b := &model.Batch{Input: engine.PlaneInput(spec.Planes)}
	legal := make([]engine.Action, spec.Actions)
	for a := range legal {
		legal[a] = engine.Action(a)
	}
	for board := range slices.Chunk(planes, spec.Planes.Size()) {
		b.Input.Planes = append(b.Input.Planes, board...)
		b.Input.Legal = append(b.Input.Legal, legal...)
		b.Input.EndRow()
	}
	b.Fit()
	return b
}

// A new network has a nearly uniform policy and a value near 0. Its blocks return their input
// unchanged.
func TestNewNetworkHasNoOpinion(t *testing.T) {
	c := checkpoint()
	planes := make([]float32, 32*spec.Planes.Size())
	for i := range planes {
		planes[i] = float32(i % 2)
	}
	b := batch(spec, planes)
	if err := model.NewNet(c).Evaluate(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	for _, v := range b.Values {
		if math.Abs(float64(v)) > 0.3 {
			t.Errorf("a new network is sure of itself: value %v", v)
		}
	}
	for i := range c.Body.(model.Residual).Blocks {
		if w := c.Tensors["block"+string(rune('0'+i))+".conv2.weight"]; slices.Max(w) != 0 || slices.Min(w) != 0 {
			t.Errorf("block %d does not start as the identity", i)
		}
	}
}

// The result for a position does not depend on the other positions in the batch.
func TestRowsAreIndependent(t *testing.T) {
	net := model.NewNet(checkpoint())
	rng := rand.New(rand.NewPCG(2, 2))
	planes := make([]float32, 21*spec.Planes.Size())
	for i := range planes {
		planes[i] = float32(rng.NormFloat64())
	}
	all := batch(spec, planes)
	if err := net.Evaluate(context.Background(), all); err != nil {
		t.Fatal(err)
	}
	for r := range 21 {
		one := batch(spec, planes[r*100:(r+1)*100])
		if err := net.Evaluate(context.Background(), one); err != nil {
			t.Fatal(err)
		}
		if one.Values[0] != all.Values[r] || !slices.Equal(one.Logits, all.Logits[r*50:(r+1)*50]) {
			t.Fatalf("row %d differs alone and among others", r)
		}
	}
	if n := testing.AllocsPerRun(10, func() {
		if err := net.Evaluate(context.Background(), all); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations an evaluation", n)
	}
}

func TestUniform(t *testing.T) {
	b := batch(spec, make([]float32, 2*spec.Planes.Size()))
	b.Values[0], b.Logits[3] = 5, 5
	if err := model.Uniform.Evaluate(context.Background(), b); err != nil || b.Values[0] != 0 || b.Logits[3] != 0 {
		t.Errorf("uniform has an opinion: %v", err)
	}
}

// Check rejects a checkpoint for another game or for another version of the game. The error names
// the difference.
func TestCheck(t *testing.T) {
	c := checkpoint()
	if err := c.Check(spec); err != nil {
		t.Error(err)
	}
	for says, change := range map[string]func(*engine.Spec){
		"plays game, not chess": func(s *engine.Spec) { s.Name = "chess" },
		"version 3":             func(s *engine.Spec) { s.Version = 4 },
		"51":                    func(s *engine.Spec) { s.Actions = 51 },
	} {
		s := spec
		change(&s)
		if err := c.Check(s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: error %v should say %q", s, err, says)
		}
	}
}

// If a file is truncated, damaged, from a newer version or not from dojo, Load returns a one-line
// error that names the file.
func TestLoadMistakes(t *testing.T) {
	var file bytes.Buffer
	if err := checkpoint().Encode(&file); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	foreign := func(meta map[string]string, tensors ...safetensors.Tensor) []byte {
		var b bytes.Buffer
		if err := safetensors.Write(&b, meta, tensors); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	replace := func(from, to string) []byte {
		if !bytes.Contains(whole, []byte(from)) || len(from) != len(to) {
			t.Fatalf("cannot replace %q", from)
		}
		return resealed(bytes.Replace(whole, []byte(from), []byte(to), 1))
	}
	holding := func(v float32) []byte {
		c := checkpoint()
		c.Tensors["value.out.weight"][3] = v
		var b bytes.Buffer
		if err := c.Encode(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-2] ^= 1
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"empty":         {nil, "it is empty"},
		"text":          {[]byte("this is not a network at all"), "not a safetensors"},
		"truncated":     {whole[:len(whole)-100], "truncated"},
		"half":          {whole[:len(whole)/2], "truncated"},
		"foreign":       {foreign(map[string]string{"format": "pt"}), "not a checkpoint of dojo"},
		"bare":          {foreign(map[string]string{"format": "dojo"}), "format_version"},
		"a long name":   {foreign(map[string]string{"format": "dojo", "name": strings.Repeat("x", 1e6)}), "name has 1000000 bytes"},
		"newer":         {replace(`"format_version":"2"`, `"format_version":"9"`), "format 9"},
		"architecture":  {replace(`\"channels\":16`, `\"channels\":17`), "channels: 17"},
		"more blocks":   {replace(`\"blocks\":2`, `\"blocks\":3`), "block2"},
		"no planes":     {replace(`\"H\":5`, `\"H\":0`), "0×5×4 planes"},
		"not a number":  {holding(float32(math.NaN())), "tensor value.out.weight contains NaN"},
		"infinite":      {holding(float32(math.Inf(1))), "tensor value.out.weight contains +Inf"},
		"absurd":        {holding(-1e30), "tensor value.out.weight contains -1e+30"},
		"a flipped bit": {flipped, "it is damaged: its checksum"},
	} {
		path := filepath.Join(t.TempDir(), "c.safetensors")
		if err := os.WriteFile(path, c.file, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := model.Load(path)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: loaded %v with error %v, want one line with the path and %q", name, got != nil, err, c.says)
		}
	}
}

// resealed returns the checkpoint file with the checksum in its header corrected; see package
// safetensors.
func resealed(file []byte) []byte {
	const at = 8 + len(`{"__metadata__":{"sha256":"`)
	if file = bytes.Clone(file); len(file) >= at+64 {
		h := sha256.New()
		h.Write(file[:8])
		h.Write(file[at+64:])
		copy(file[at:], fmt.Sprintf("%x", h.Sum(nil)))
	}
	return file
}

// If any bit of a checkpoint file is flipped, Decode returns an error.
func TestFlippedBits(t *testing.T) {
	n := model.Network{Body: model.Residual{Channels: 16, PolicyPlanes: 1, ValuePlanes: 1, ValueFeatures: 1}}.For(engine.Spec{Actions: 2, Planes: engine.Shape{C: 1, H: 2, W: 2}})
	c := model.NewCheckpoint(model.Meta{Name: "000001", Search: `{"cpuct":1.5,"cpuct_base":19652,"fpu_reduction":0.1}`}, n, rand.New(rand.NewPCG(1, 1)))
	c.Ranges = slices.Repeat([]float32{1}, 17)
	var file bytes.Buffer
	if err := c.Encode(&file); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	if _, err := model.Decode(bytes.NewReader(whole)); err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(whole) {
		whole[i/8] ^= 1 << (i % 8)
		if _, err := model.Decode(bytes.NewReader(whole)); err == nil {
			t.Errorf("with bit %d of byte %d flipped the checkpoint is read", i%8, i/8)
		}
		whole[i/8] ^= 1 << (i % 8)
	}
}

func FuzzDecode(f *testing.F) {
	small := engine.Spec{Actions: 2, Planes: engine.Shape{C: 1, H: 2, W: 2}}
	n := model.Network{Body: model.Residual{Channels: 16, PolicyPlanes: 1, ValuePlanes: 1, ValueFeatures: 1}}.For(small)
	c := model.NewCheckpoint(model.Meta{}, n, rand.New(rand.NewPCG(1, 1)))
	// no ranges, and then ranges for the planes and for the channels of the first layer
	for _, ranges := range [][]float32{nil, slices.Repeat([]float32{1}, 17)} {
		c.Ranges = ranges
		var file bytes.Buffer
		if err := c.Encode(&file); err != nil {
			f.Fatal(err)
		}
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if c, err := model.Decode(bytes.NewReader(resealed(file))); err == nil {
			model.NewNet(c)
		}
	})
}

func BenchmarkEvaluate(b *testing.B) {
	s := engine.Spec{Actions: 1250, Planes: engine.Shape{C: 20, H: 5, W: 5}}
	for name, n := range map[string]model.Network{
		"32x4": {Body: model.Residual{Channels: 32, Blocks: 4, PolicyPlanes: 8, ValuePlanes: 8, ValueFeatures: 64}},
		"64x4": {Body: model.Residual{Channels: 64, Blocks: 4, PolicyPlanes: 8, ValuePlanes: 8, ValueFeatures: 64}},
	} {
		b.Run(name, func(b *testing.B) {
			net := model.NewNet(model.NewCheckpoint(model.Meta{}, n.For(s), rand.New(rand.NewPCG(1, 1))))
			boards := batch(s, make([]float32, 16*s.Planes.Size()))
			for b.Loop() {
				if err := net.Evaluate(context.Background(), boards); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(16*float64(b.N)/b.Elapsed().Seconds(), "evals/s")
		})
	}
}
