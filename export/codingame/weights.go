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

// Check returns an error unless a checkpoint can be written as a bot: it must be a
// sparse network of a registered game that plays in 8 bits.
func Check(c *model.Checkpoint) error {
	g, ok := games[c.Game]
	if !ok {
		return fmt.Errorf("model %s plays %s; there are bots for CodinGame of %s: codingame.Register adds a game's part, see section 1 of docs/ADDING_A_GAME.md",
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
		return fmt.Errorf("model %s reads %d features of an action, and a bot for CodinGame one", c.Name, sizes.PerAction)
	}
	_, err := c.Activations()
	return err
}

// A KindError says that a checkpoint is of another kind than a bot's network.
type KindError struct{ *model.Checkpoint }

func (e KindError) Error() string {
	return fmt.Sprintf("model %s is a %s network (%s); a bot for CodinGame has a sparse one", e.Name, e.Kind(), e.Sizes())
}

// weights are the numbers of a network as model.NewNet8 rounds them, written for the
// bot's program.
type weights struct {
	text  string // see packer
	shift int    // of kernel.FeatureSum
	rows  int    // number of actions whose logits have weights
}

// newWeights writes the weights of a checkpoint for which Check returns nil:
//
//	columns      a list of integers for each feature, then one of biases
//	policy, value   a list of integers for each output, of both layers; then the floats
//	             scale, bias and inverse (see model.Activations) of all these outputs
//	value.hidden a list of integers for each output; then the floats scale and bias
//	value.out    the floats weight and bias
//	policy.out   a list of integers for each possible action and each feature of actions; then the floats scale and bias
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
	for f := range c.Body.(model.Sparse).ActionFeatures { // their rows follow those of the actions
		possible = append(possible, engine.Action(c.Actions+f))
	}
	p.floats(p.logits(possible))
	return weights{p.finish(), shift, len(possible)}, nil
}

// columns returns the whole numbers of the first layer; see kernel.FeatureSum.
func columns(c *model.Checkpoint, a map[string]model.Activations) (weight, bias []int16, shift int) {
	return kernel.NewFeatureSum(c.Tensors["columns.weight"], c.Tensors["columns.bias"], a["columns"].Inverse, c.Body.(model.Sparse).Active).Weights()
}

// coarse returns a copy of a checkpoint in which the whole numbers of the columns, as
// kernel.FeatureSum rounds them, end in that many zeros. They are written in fewer bits.
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

// dense writes the whole numbers of a dense layer and returns the rest of it.
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

// logits writes the whole numbers of the logits of some actions, as kernel.SelectedDense
// rounds them, and returns the rest.
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

// A packer writes numbers as text, of which each character holds 15 bits, the first in
// its lowest bits: character U+3400 + bits. None of these is a surrogate, a control
// character or a quote.
type packer struct {
	checkpoint  *model.Checkpoint
	activations map[string]model.Activations // of checkpoint

	out  strings.Builder
	bits uint64 // not yet written, the first in the lowest
	have int    // their number
}

// put writes the lowest n bits of v, n ≤ 32.
func (p *packer) put(n int, v uint32) {
	const bits, base = 15, 0x3400
	p.bits |= uint64(v) & (1<<n - 1) << p.have
	for p.have += n; p.have >= bits; p.have -= bits {
		p.out.WriteRune(rune(base + p.bits&(1<<bits-1)))
		p.bits >>= bits
	}
}

// finish returns the text.
func (p *packer) finish() string {
	const bits = 15
	if p.have > 0 {
		p.put(bits-p.have, 0)
	}
	return p.out.String()
}

// integers writes a list of integers in Rice's code (Rice and Plaunt 1971), which is
// short where most are small: four bits for the parameter k of the list; two for the number
// of zeros, up to 3, in which all integers end and without which they follow; and for each
// integer n, folded to 2n or, if it is negative, -2n-1, its upper bits as a number of
// ones, a zero, and its lowest k bits.
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

// floats writes the bits of floats.
func (p *packer) floats(lists ...[]float32) {
	for _, x := range slices.Concat(lists...) {
		p.put(32, math.Float32bits(x))
	}
}
