package graph

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/internal/parallel"
	"dojo.example/model"
)

// networks are small networks for tests: sparse networks, and residual networks with convolutional
// and dense policy heads on boards of several shapes.
var networks = map[string]model.Network{
	"3x3 conv":  {Planes: engine.Shape{C: 2, H: 3, W: 3}, Actions: 9, Body: model.Residual{Channels: 16, Blocks: 1, PolicyPlanes: 3, ValuePlanes: 4, ValueFeatures: 8}},
	"5x5 conv":  {Planes: engine.Shape{C: 5, H: 5, W: 5}, Actions: 50, Body: model.Residual{Channels: 16, Blocks: 2, PolicyPlanes: 3, ValuePlanes: 3, ValueFeatures: 7}},
	"2x6 dense": {Planes: engine.Shape{C: 3, H: 2, W: 6}, Actions: 11, Body: model.Residual{Channels: 32, Blocks: 1, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8}},
	"margin":    {Planes: engine.Shape{C: 3, H: 2, W: 6}, Actions: 12, Margin: 20, Body: model.Residual{Channels: 16, Blocks: 1, PolicyPlanes: 3, ValuePlanes: 2, ValueFeatures: 8}},
	"sparse":    {Planes: engine.Shape{C: 2, H: 3, W: 3}, Actions: 41, Margin: 10, Body: model.Sparse{Columns: 64, Policy: 32, Value: 16, Hidden: 16, Features: 40, Active: 8}},
	"rows":      {Planes: engine.Shape{C: 2, H: 3, W: 3}, Actions: 41, Body: model.Sparse{Columns: 64, Policy: 32, Value: 16, Hidden: 16, Features: 40, Active: 8, ActionRows: true, ActionFeatures: 12, PerAction: 2}},
	"9x9 dense": {Planes: engine.Shape{C: 4, H: 9, W: 9}, Actions: 100, Body: model.Residual{Channels: 16, Blocks: 1, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}},
}

// lively returns a checkpoint with random parameters, none of them zero, so that every parameter
// affects the outputs.
func lively(n model.Network, seed uint64) *model.Checkpoint {
	rng := rand.New(rand.NewPCG(seed, 0))
	c := model.NewCheckpoint(model.Meta{Game: "test"}, n, rng)
	for _, p := range n.Params() {
		fan := max(1, p.Size()/p.Shape[len(p.Shape)-1])
		for i := range c.Tensors[p.Name] {
			c.Tensors[p.Name][i] = float32(rng.NormFloat64() * 0.8 / math.Sqrt(float64(fan)))
		}
	}
	return c
}

func config(batch int) Config {
	c := Default()
	c.Batch = batch
	return c
}

// trainer returns a Trainer with the random parameters from lively.
func trainer(t testing.TB, n model.Network, c Config, workers int) *Trainer {
	t.Helper()
	team := parallel.NewTeam(workers)
	t.Cleanup(team.Close)
	x, err := New(n, c, team)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.SetWeights(lively(n, 1)); err != nil {
		t.Fatal(err)
	}
	return x
}

// fill returns a batch of random positions with random targets. If the network reads planes, about
// half of the actions are legal in each position.
func fill(x *Trainer, seed uint64) *Batch {
	b, rng := x.NewBatch(), rand.New(rand.NewPCG(seed, 1))
	if b.Input.HasPlanes() {
		fillPlanes(b, x.network, rng)
	} else {
		fillFeatures(b, x.network, rng)
	}
	for _, t := range b.Targets {
		switch t.Kind {
		case model.Win:
			for i := range t.Rows {
				t.Rows[i] = float32(2*rng.Float64() - 1)
			}
		case model.Amount:
			for i := range t.Rows {
				t.Rows[i] = float32(2 * rng.NormFloat64())
			}
		}
	}
	return b
}

// fillFeatures adds random positions and random policy targets for a sparse network to b.
func fillFeatures(b *Batch, n model.Network, rng *rand.Rand) {
	policy, s := &b.Targets[0], n.Body.(model.Sparse)
	for range len(b.Targets[1].Rows) {
		for _, f := range rng.Perm(s.Features)[:1+rng.IntN(s.Active)] {
			b.Input.Features = append(b.Input.Features, uint16(f))
		}
		legal := rng.Perm(n.Actions)[:1+rng.IntN(9)]
		var weights []float32
		var sum float32
		for _, a := range legal {
			b.Input.Legal = append(b.Input.Legal, engine.Action(a))
			weights = append(weights, float32(rng.ExpFloat64()))
			sum += weights[len(weights)-1]
		}
		for _, w := range weights {
			policy.Rows = append(policy.Rows, w/sum)
		}
		for range s.PerAction * len(legal) {
			b.Input.ActionFeatures = append(b.Input.ActionFeatures, uint16(rng.IntN(s.ActionFeatures)))
		}
		b.Input.EndRow()
	}
}

// fillPlanes adds random positions and random policy targets to b, for a network that reads planes.
func fillPlanes(b *Batch, n model.Network, rng *rand.Rand) {
	planes := make([]float32, len(b.Targets[1].Rows)*n.Planes.Size())
	for i := range planes {
		planes[i] = float32(rng.IntN(2))
	}
	for board := range slices.Chunk(planes, n.Planes.Size()) {
		var legal []engine.Action
		var weights []float32
		var sum float32
		for a := range n.Actions {
			if a == 0 || rng.IntN(2) == 0 {
				legal, weights = append(legal, engine.Action(a)), append(weights, float32(rng.ExpFloat64()))
				sum += weights[len(weights)-1]
			}
		}
		for i, w := range weights {
			if w > 0 {
				weights[i] /= sum
			}
		}
		b.Input.Planes = append(b.Input.Planes, board...)
		b.Input.Legal = append(b.Input.Legal, legal...)
		b.Input.EndRow()
		b.Targets[0].Rows = append(b.Targets[0].Rows, weights...)
	}
}

// played returns a batch for model.Net with the positions of b. If the network reads planes, all
// actions are legal in the returned batch.
func played(b *Batch, n model.Network) *model.Batch {
	e := &model.Batch{Input: b.Input}
	if b.Input.HasPlanes() {
		e.Input = n.NewInput()
		all := make([]engine.Action, n.Actions)
		for a := range all {
			all[a] = engine.Action(a)
		}
		for row := range b.Input.Rows() {
			e.Input.Planes = append(e.Input.Planes, b.Input.PlanesOf(row)...)
			e.Input.Legal = append(e.Input.Legal, all...)
			e.Input.EndRow()
		}
	}
	e.Fit()
	return e
}

// A model.Net and a training graph with the same weights compute the same outputs.
func TestGraphEqualsNet(t *testing.T) {
	for name, n := range networks {
		const batch = 19
		x := trainer(t, n, config(batch), 2)
		b := fill(x, 3)
		if _, err := x.gradients(b); err != nil {
			t.Fatal(err)
		}
		eval := played(b, n)
		if err := model.NewNet(lively(n, 1)).Evaluate(context.Background(), eval); err != nil {
			t.Fatal(err)
		}
		outputs := map[string][]float32{"policy": eval.Logits, "value": eval.Values}
		for _, p := range x.parts {
			idle := x.idle[p.to-p.from]
			r := <-idle
			if err := r.run(p, b); err != nil {
				t.Fatal(err)
			}
			idle <- r
			for i, h := range n.Architecture().Heads {
				if h.Kind != model.Amount {
					from, to := p.from*len(outputs[h.Name])/batch, p.to*len(outputs[h.Name])/batch
					want := outputs[h.Name][from:to]
					if h.Kind == model.Logits {
						want = legalOf(b, eval, p)
					}
					equal(t, name, h, r.output(i), want)
				}
			}
		}
	}
}

// legalOf returns the logits in played for the legal actions of the positions in part p of b. For a
// network that reads planes, played has the logits of all actions; otherwise, it has only those of
// the legal actions.
func legalOf(b *Batch, played *model.Batch, p *part) (logits []float32) {
	for row := p.from; row < p.to; row++ {
		first, _ := played.Input.LegalRange(row, row+1)
		for i, a := range b.Input.LegalOf(row) {
			if b.Input.HasPlanes() {
				i = int(a)
			}
			logits = append(logits, played.Logits[first+i])
		}
	}
	return logits
}

// output returns the outputs of head i in the replica's last run.
func (r *replica) output(i int) []float32 {
	all := r.heads[i].output.Op().(*op).place(nil).Float32s()
	if r.heads[i].Kind != model.Logits {
		return all
	}
	from, to := r.part.batch.Input.LegalRange(r.part.from, r.part.to)
	return all[:to-from]
}

// equal fails the test unless a head's outputs in the training graph (got) and in play (played) are
// equal.
func equal(t *testing.T, name string, h model.Head, got, played []float32) {
	t.Helper()
	if len(got) != len(played) {
		t.Fatalf("%s: %s has %d results in the graph, %d in play", name, h.Name, len(got), len(played))
	}
	for i, v := range got {
		v *= h.Unit
		if h.Kind == model.Win {
			v = float32(math.Tanh(float64(v)))
		}
		if math.Abs(float64(v-played[i])) > 1e-4*float64(h.Unit) {
			t.Fatalf("%s: %s %d is %v in the graph, %v in play", name, h.Name, i, v, played[i])
		}
	}
}

// total returns the loss that training minimises: the weighted sum of the losses of all heads.
func (t *Trainer) total(l Losses) (sum float64) {
	for _, h := range t.network.Architecture().Heads {
		sum += float64(t.config.weight(h)) * float64(l.Heads[h.Name])
	}
	return sum
}

// The gradient of every layer agrees with finite differences of the loss. The test compares them
// along the direction of the gradient itself and along two random directions.
func TestGradientsAgainstFiniteDifferences(t *testing.T) {
	for name, n := range networks {
		c := config(8)
		c.ValueWeight = 0.7
		x := trainer(t, n, c, 2)
		b := fill(x, 5)
		if _, err := x.gradients(b); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(6, 6))
		for i, l := range x.layers {
			if _, err := x.gradients(b); err != nil {
				t.Fatal(err)
			}
			grad := slices.Clone(l.Grads)
			for trial := range 3 {
				direction := make([]float64, len(grad))
				var norm float64
				for j := range direction {
					direction[j] = rng.NormFloat64()
					if trial == 0 {
						direction[j] = float64(grad[j])
					}
					norm += direction[j] * direction[j]
				}
				if norm = math.Sqrt(norm); norm == 0 {
					t.Fatalf("%s: layer %s has no gradient: its ReLUs are all off", name, l.Name)
				}
				var want float64
				for j := range direction {
					direction[j] /= norm
					want += direction[j] * float64(grad[j])
				}
				got := slope(t, x, b, i, direction)
				if math.Abs(got-want) > 0.02*math.Abs(want)+5e-3 {
					t.Errorf("%s: layer %s: the loss changes by %v along a direction, its gradient says %v", name, l.Name, got, want)
				}
			}
		}
	}
}

// slope estimates the derivative of the loss along a direction in layer i's parameters.
func slope(t *testing.T, x *Trainer, b *Batch, i int, direction []float64) float64 {
	// The step h is small, because the loss has kinks nearby: points where a ReLU switches on or
	// off.
	const h = 3e-4
	w := x.layers[i].Values
	before := append([]float32(nil), w...)
	at := func(step float64) float64 {
		for j := range w {
			w[j] = before[j] + float32(step*direction[j])
		}
		l, err := x.gradients(b)
		if err != nil {
			t.Fatal(err)
		}
		return x.total(l)
	}
	up, down := at(h), at(-h)
	copy(w, before)
	return (up - down) / (2 * h)
}

// A network can learn a single batch almost perfectly.
func TestOverfitOneBatch(t *testing.T) {
	n := networks["5x5 conv"]
	c := config(16)
	c.WeightDecay = 0
	x := trainer(t, n, c, 2)
	if err := x.SetWeights(model.NewCheckpoint(model.Meta{}, n, rand.New(rand.NewPCG(1, 1)))); err != nil {
		t.Fatal(err)
	}
	b := fill(x, 9)
	policy, values := b.Targets[0].Rows, b.Targets[1].Rows
	for i := range values {
		values[i] = float32(2*(i%2) - 1)
	}
	var floor float64 // the lower limit of the policy loss: the entropy of the target
	for _, p := range policy {
		if p > 0 {
			floor -= float64(p) * math.Log(float64(p)) / 16
		}
	}
	var l Losses
	var err error
	for range 400 {
		if l, err = x.Step(b, 3e-3); err != nil {
			t.Fatal(err)
		}
	}
	if float64(l.Heads["policy"]) > floor+0.02 || l.Heads["value"] > 0.02 || l.ValueError > 0.05 {
		t.Errorf("after 400 steps on one batch: %+v; a perfect policy has loss %v", l, floor)
	}
}

// After training, the weights are bit-identical for any number of workers.
func TestWorkersDoNotMatter(t *testing.T) {
	for name := range networks {
		var want map[string][]float32
		for _, workers := range []int{0, 1, 2, 5} {
			x := trainer(t, networks[name], config(37), workers)
			for i := range 3 {
				if _, err := x.Step(fill(x, uint64(i)), 1e-2); err != nil {
					t.Fatal(err)
				}
			}
			if want == nil {
				want = weights(x)
			} else if !reflect.DeepEqual(weights(x), want) {
				t.Errorf("%s: %d workers give other weights than one", name, workers)
			}
		}
	}
}

// Memory use does not grow with the number of steps.
func TestMemoryIsConstant(t *testing.T) {
	x := trainer(t, networks["3x3 conv"], config(8), 1)
	b := fill(x, 1)
	heap := func(steps int) uint64 {
		for range steps {
			if _, err := x.Step(b, 1e-3); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	steps := 10_000
	if testing.Short() {
		steps = 500
	}
	early := heap(50)
	late := heap(steps)
	t.Logf("%d bytes after 50 steps, %d after %d more", early, late, steps)
	if late > early+1<<16 {
		t.Errorf("the heap grew from %d to %d bytes in %d steps", early, late, steps)
	}
}

func BenchmarkStep(b *testing.B) {
	for _, size := range []struct{ channels, blocks int }{{32, 4}, {64, 4}} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%dx%d/workers%d", size.channels, size.blocks, workers), func(b *testing.B) {
				n := model.Network{Planes: engine.Shape{C: 20, H: 5, W: 5}, Actions: 1250, Body: model.Residual{Channels: size.channels, Blocks: size.blocks, PolicyPlanes: 8, ValuePlanes: 8, ValueFeatures: 64}}
				x := trainer(b, n, config(256), workers)
				batch := fill(x, 1)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := x.Step(batch, 1e-3); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
			})
		}
	}
}
