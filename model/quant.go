package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dojo/model/kernel"
)

// Quant is a checkpoint made ready to play in 8 bits: see kernel.Quant. The
// stream that the blocks add to stays in floats beside its 8-bit copy, and so
// do the heads behind their first layer. It does not change, is safe for
// concurrent use, and gives the same bits on every processor.
type Quant struct {
	name    string // of the checkpoint
	network Network
	planes  Activations   // of the input: alike for every channel
	stream  []Activations // behind the stem and each block
	between []Activations // the two layers of each block
	stem    *kernel.Quant
	blocks  [][2]*kernel.Quant
	policy  *kernel.Quant
	dense   *kernel.Conv // of the policy head, or nil
	value   *kernel.Quant
	hidden  *kernel.Conv
	out     *kernel.Conv
}

var _ Evaluator = (*Quant)(nil)

// Activations are one kind of 8-bit activations: what 1 of them is worth, and
// how many make 1, by channel.
type Activations struct{ Units, Inverse []float32 }

func newActivations(ranges []float32) Activations {
	a := Activations{make([]float32, len(ranges)), make([]float32, len(ranges))}
	for i, r := range ranges {
		a.Units[i] = max(r, 1e-6) / kernel.Most
		a.Inverse[i] = 1 / a.Units[i]
	}
	return a
}

// Activations are those of the network in 8 bits: of the planes, behind the
// stem, and behind each convolution of each block. Without Ranges it is an
// error that says so.
func (c *Checkpoint) Activations() ([]Activations, error) {
	if len(c.Ranges) != c.rangeCount() {
		return nil, fmt.Errorf("model %s has no ranges of its activations, which 8 bits need", c.Name)
	}
	list := []Activations{newActivations(slices.Repeat(c.Ranges[:1], c.Planes.C))}
	for layer := range slices.Chunk(c.Ranges[1:], c.Channels) {
		list = append(list, newActivations(layer))
	}
	return list, nil
}

// NewQuant rounds a checkpoint's weights. Without Ranges it is an error that
// says so.
func NewQuant(c *Checkpoint) (*Quant, error) {
	kinds, err := c.Activations()
	if err != nil {
		return nil, err
	}
	q := &Quant{name: c.Name, network: c.Network, planes: newActivations(slices.Repeat(c.Ranges[:1], padded(c.Planes.C)))}
	kinds = kinds[1:]
	next := func() Activations {
		a := kinds[0]
		kinds = kinds[1:]
		return a
	}
	h, w, cells := c.Planes.H, c.Planes.W, c.Planes.Cells()
	conv := func(name string, k, in, out int, from Activations) *kernel.Quant {
		l := kernel.NewQuant(h, w, padded(in), out, k)
		l.Pack(padChannels(c.Tensors[name+".weight"], k*k, in, out), c.Tensors[name+".bias"], from.Units)
		return l
	}
	dense := func(name string, in, out int) *kernel.Conv {
		l := kernel.NewConv(1, 1, in, out, 1)
		l.Pack(c.Tensors[name+".weight"], c.Tensors[name+".bias"])
		return l
	}
	q.stem = conv("stem", c.Stem(), c.Planes.C, c.Channels, q.planes)
	last := next()
	q.stream = append(q.stream, last)
	for i := range c.Blocks {
		between := next()
		q.blocks = append(q.blocks, [2]*kernel.Quant{
			conv(fmt.Sprintf("block%d.conv1", i), 3, c.Channels, c.Channels, last),
			conv(fmt.Sprintf("block%d.conv2", i), 3, c.Channels, c.Channels, between),
		})
		last = next()
		q.between, q.stream = append(q.between, between), append(q.stream, last)
	}
	planes, ok := c.ConvPolicy()
	if !ok {
		planes = c.PolicyPlanes
		q.dense = dense("policy.dense", cells*planes, c.Actions)
	}
	q.policy = conv("policy", 1, c.Channels, planes, last)
	q.value = conv("value", 1, c.Channels, c.ValuePlanes, last)
	q.hidden = dense("value.hidden", cells*c.ValuePlanes, c.ValueFeatures)
	q.out = dense("value.out", c.ValueFeatures, 1)
	return q, nil
}

// padded is a number of channels in whole fours.
func padded(channels int) int { return (channels + 3) / 4 * 4 }

// padChannels adds input channels of weight zero.
func padChannels(weight []float32, taps, in, out int) []float32 {
	if in == padded(in) {
		return weight
	}
	wide := make([]float32, taps*padded(in)*out)
	for tap := range taps {
		copy(wide[tap*padded(in)*out:], weight[tap*in*out:(tap+1)*in*out])
	}
	return wide
}

// quantScratch is the working memory of one tile.
type quantScratch struct {
	net                      *Quant
	planes, x8, y8           []uint8
	x, policy, value, hidden []float32
}

// Evaluate runs the network; see Evaluator. Warm, it allocates nothing where
// the kernels are not portable Go.
func (q *Quant) Evaluate(_ context.Context, b *Batch) error {
	s, ok := b.Scratch.(*quantScratch)
	if !ok || s.net != q {
		cells := tile * q.network.Planes.Cells()
		s = &quantScratch{
			net:    q,
			planes: make([]uint8, cells*padded(q.network.Planes.C)),
			x8:     make([]uint8, cells*q.network.Channels),
			y8:     make([]uint8, cells*q.network.Channels),
			x:      make([]float32, cells*q.network.Channels),
			policy: make([]float32, cells*q.policy.Out),
			value:  make([]float32, cells*q.network.ValuePlanes),
			hidden: make([]float32, tile*q.network.ValueFeatures),
		}
		b.Scratch = s
	}
	planes, actions := q.network.Planes.Size(), q.network.Actions
	for from := 0; from < b.N; from += tile {
		to := min(b.N, from+tile)
		q.run(s, b.Planes[from*planes:to*planes], b.Logits[from*actions:to*actions], b.Values[from:to])
	}
	return b.checkFinite(q.name, actions)
}

// run evaluates a tile of boards.
func (q *Quant) run(s *quantScratch, planes, logits, values []float32) {
	boards := len(values)
	q.roundPlanes(s.planes, planes)
	q.stem.Run(kernel.Output{Floats: s.x, Bytes: s.x8, Inverse: q.stream[0].Inverse}, s.planes, nil, boards, true)
	for i, b := range q.blocks {
		b[0].Run(kernel.Output{Bytes: s.y8, Inverse: q.between[i].Inverse}, s.x8, nil, boards, true)
		b[1].Run(kernel.Output{Floats: s.x, Bytes: s.x8, Inverse: q.stream[i+1].Inverse}, s.y8, s.x, boards, true)
	}
	if q.dense == nil {
		q.policy.Run(kernel.Output{Floats: logits}, s.x8, nil, boards, false)
	} else {
		q.policy.Run(kernel.Output{Floats: s.policy}, s.x8, nil, boards, true)
		q.dense.Run(logits, s.policy, nil, boards, false)
	}
	q.value.Run(kernel.Output{Floats: s.value}, s.x8, nil, boards, true)
	q.hidden.Run(s.hidden, s.value, nil, boards, true)
	q.out.Run(values, s.hidden, nil, boards, false)
	for i, v := range values {
		values[i] = float32(math.Tanh(float64(v)))
	}
}

// roundPlanes writes planes in 8 bits, with room for padded channels.
func (q *Quant) roundPlanes(dst []uint8, planes []float32) {
	inverse := q.planes.Inverse[0]
	c := q.network.Planes.C
	if c == padded(c) {
		kernel.Round(dst, planes, inverse)
		return
	}
	for cell := range len(planes) / c {
		kernel.Round(dst[cell*padded(c):], planes[cell*c:][:c], inverse)
	}
}
