package codingame

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/model/kernel"
)

// Check returns an error unless a checkpoint can be exported as a bot. It must hold a sparse
// network that can play in 8 bits, and its game must be registered.
func Check(c *model.Checkpoint) error {
	g, ok := games[c.Game]
	if !ok {
		return fmt.Errorf("model %s plays %s, but there are bots for CodinGame only for %s; codingame.Register adds a game, see section 1 of docs/ADDING_A_GAME.md",
			c.Name, c.Game, strings.Join(slices.Sorted(maps.Keys(games)), ", "))
	}
	if err := c.Check(g.Game.Spec); err != nil {
		return err
	}
	sizes, ok := c.Body.(model.Sparse)
	if !ok {
		return KindError{c}
	}
	if sizes.PerAction > 1 {
		return fmt.Errorf("model %s reads %d features per action, but a bot for CodinGame can read only one", c.Name, sizes.PerAction)
	}
	_, err := c.Activations()
	return err
}

// A KindError says that the network of a checkpoint is not sparse.
type KindError struct{ *model.Checkpoint }

func (e KindError) Error() string {
	return fmt.Sprintf("model %s is a %s network (%s), but a bot for CodinGame needs a sparse one", e.Name, e.Kind(), e.Sizes())
}

// weights holds the numbers of a network in the form in which a bot's source contains them. The
// numbers are rounded in the same way as by model.NewNet8.
type weights struct {
	text  string // the packed numbers; see packer
	shift int    // shift of the first layer; see kernel.FeatureSum
	// rows is the number of rows of the last policy layer that text contains: one for each possible
	// action and one for each action feature.
	rows int
}

// newWeights packs the weights of a checkpoint for which Check returns nil, in this order:
//
//	columns        a list of integers for each feature, then a list of biases
//	policy, value  a list of integers for each output of both layers; then the floats
//	               scale, bias and inverse (see model.Activations) of all these outputs
//	value.hidden   a list of integers for each output; then the floats scale and bias
//	value.out      the floats weight and bias
//	policy.out     a list of integers for each possible action and each action feature;
//	               then the floats scale and bias
func newWeights(c *model.Checkpoint) (weights, error) {
	activations, err := c.Activations()
	if err != nil {
		return weights{}, err
	}
	p := packer{checkpoint: c, activations: activations}
	whole, bias, shift := columns(c, activations)
	for feature := range slices.Chunk(whole, len(bias)) {
		integers(&p, feature)
	}
	integers(&p, bias)

	policyScale, policyBias := p.dense("policy")
	valueScale, valueBias := p.dense("value")
	p.floats(policyScale, valueScale, policyBias, valueBias, activations["policy"].Inverse, activations["value"].Inverse)
	hiddenScale, hiddenBias := p.dense("value.hidden")
	p.floats(hiddenScale, hiddenBias, c.Tensors["value.out.weight"], c.Tensors["value.out.bias"])

	possible := slices.Clone(games[c.Game].Possible)
	for f := range c.Body.(model.Sparse).ActionFeatures { // action features follow the actions
		possible = append(possible, engine.Action(c.Actions+f))
	}
	p.floats(p.logits(possible))
	return weights{p.finish(), shift, len(possible)}, nil
}

// columns returns the weights and biases of the first layer as integers; see kernel.FeatureSum.
func columns(c *model.Checkpoint, a map[string]model.Activations) (weight, bias []int16, shift int) {
	return kernel.NewFeatureSum(c.Tensors["columns.weight"], c.Tensors["columns.bias"], a["columns"].Inverse, c.Body.(model.Sparse).Active).Weights()
}

// coarse returns a copy of a checkpoint whose first layer has coarser weights: the integers to
// which kernel.FeatureSum rounds them end in the given number of zero bits. The packer needs fewer
// bits for such integers.
func coarse(c *model.Checkpoint, zeros int) (*model.Checkpoint, error) {
	activations, err := c.Activations()
	if err != nil || zeros == 0 {
		return c, err
	}
	inverse := activations["columns"].Inverse
	_, _, shift := columns(c, activations)
	rounded := *c
	rounded.Tensors = maps.Clone(c.Tensors)
	weight := slices.Clone(c.Tensors["columns.weight"])
	for i, w := range weight {
		unit := float64(inverse[i%len(inverse)]) * math.Ldexp(1, shift-zeros)
		weight[i] = float32(math.RoundToEven(float64(w)*unit) / unit)
	}
	rounded.Tensors["columns.weight"] = weight
	return &rounded, nil
}

// dense packs the weights of a dense layer as integers, and returns the layer's scales and biases.
func (p *packer) dense(name string) (scale, bias []float32) {
	layers, tensors := p.checkpoint.Architecture().Layers, p.checkpoint.Tensors
	layer := layers[slices.IndexFunc(layers, func(l model.Layer) bool { return l.Name == name })]
	bias = tensors[name+".bias"]
	whole, scale := kernel.RoundWeights(tensors[name+".weight"], p.activations[layer.From].Units, len(bias))
	column := make([]int8, len(whole)/len(bias))
	for o := range bias {
		for i := range column {
			column[i] = whole[i*len(bias)+o]
		}
		integers(p, column)
	}
	return scale, bias
}

// logits packs the weights for the logits of the given actions, as integers rounded in the same way
// as by kernel.SelectedDense. It returns their scales and biases.
func (p *packer) logits(actions []engine.Action) (scales, biases []float32) {
	weight, bias := p.checkpoint.Tensors["policy.out.weight"], p.checkpoint.Tensors["policy.out.bias"]
	units := p.activations["policy"].Units
	in := len(units)
	for _, a := range actions {
		whole, scale := kernel.RoundWeights(weight[int(a)*in:int(a+1)*in], units, 1)
		integers(p, whole)
		scales, biases = append(scales, scale[0]), append(biases, bias[a])
	}
	return scales, biases
}

// A packer writes numbers as text. Each character holds 15 bits: its code is U+3400 plus the bits,
// with the first bit lowest. No such character is a surrogate, a control character or a quote.
type packer struct {
	checkpoint  *model.Checkpoint
	activations map[string]model.Activations // activations of the checkpoint, by layer

	out  strings.Builder
	bits uint64 // bits not written yet, with the first one lowest
	have int    // number of bits that are not written yet
}

// put writes the lowest n bits of v; n is at most 32.
func (p *packer) put(n int, v uint32) {
	const bits, base = 15, 0x3400
	p.bits |= uint64(v) & (1<<n - 1) << p.have
	for p.have += n; p.have >= bits; p.have -= bits {
		p.out.WriteRune(rune(base + p.bits&(1<<bits-1)))
		p.bits >>= bits
	}
}

// finish writes the remaining bits and returns the text.
func (p *packer) finish() string {
	const bits = 15
	if p.have > 0 {
		p.put(bits-p.have, 0)
	}
	return p.out.String()
}

// integers writes a list of integers in Rice's code (Rice and Plaunt 1971), which is short if most
// integers are small:
//
//   - four bits: the parameter k
//   - two bits: z, the number of zero bits, at most 3, in which all integers end
//   - for each integer: drop the z zeros and fold the result n to 2n, or to -2n-1 if n is
//     negative; write the bits above the lowest k in unary (that many ones and a zero),
//     and then the lowest k bits
func integers[T int8 | int16](p *packer, list []T) {
	var ones T
	for _, n := range list {
		ones |= n
	}
	zeros := min(3, bits.TrailingZeros16(uint16(ones)))
	folded := make([]uint32, len(list))
	for i, n := range list {
		n >>= zeros
		folded[i] = uint32(2 * int(n))
		if n < 0 {
			folded[i] = uint32(-2*int(n) - 1)
		}
	}
	best, least := 0, math.MaxInt
	for k := range 16 {
		length := 0
		for _, n := range folded {
			length += int(n>>k) + 1 + k
		}
		if length < least {
			best, least = k, length
		}
	}
	p.put(4, uint32(best))
	p.put(2, uint32(zeros))
	for _, n := range folded {
		for range n >> best {
			p.put(1, 1)
		}
		p.put(1, 0)
		p.put(best, n)
	}
}

// floats writes the 32 bits of each float.
func (p *packer) floats(lists ...[]float32) {
	for _, x := range slices.Concat(lists...) {
		p.put(32, math.Float32bits(x))
	}
}
