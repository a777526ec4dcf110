package model

import (
	"context"
	"fmt"
	"math"

	"dojo/model/kernel"
)

// Net is a checkpoint made ready to play: its weights packed for the kernels.
// It does not change and is safe for concurrent use.
type Net struct {
	name    string // of the checkpoint
	network Network
	stem    *kernel.Conv
	blocks  [][2]*kernel.Conv
	policy  *kernel.Conv
	dense   *kernel.Conv // of the policy head, or nil
	value   *kernel.Conv
	hidden  *kernel.Conv
	out     *kernel.Conv
}

var _ Evaluator = (*Net)(nil)

// tile is the number of boards that go through the network together: few
// enough that their activations stay in the nearest caches.
const tile = 8

// NewNet packs a checkpoint's weights.
func NewNet(c *Checkpoint) *Net {
	n := &Net{name: c.Name, network: c.Network}
	h, w, cells := c.Planes.H, c.Planes.W, c.Planes.Cells()
	conv := func(name string, k, in, out int) *kernel.Conv {
		l := kernel.NewConv(h, w, in, out, k)
		l.Pack(c.Tensors[name+".weight"], c.Tensors[name+".bias"])
		return l
	}
	dense := func(name string, in, out int) *kernel.Conv {
		l := kernel.NewConv(1, 1, in, out, 1)
		l.Pack(c.Tensors[name+".weight"], c.Tensors[name+".bias"])
		return l
	}
	n.stem = conv("stem", c.Stem(), c.Planes.C, c.Channels)
	for i := range c.Blocks {
		n.blocks = append(n.blocks, [2]*kernel.Conv{
			conv(fmt.Sprintf("block%d.conv1", i), 3, c.Channels, c.Channels),
			conv(fmt.Sprintf("block%d.conv2", i), 3, c.Channels, c.Channels),
		})
	}
	planes, ok := c.ConvPolicy()
	if !ok {
		planes = c.PolicyPlanes
		n.dense = dense("policy.dense", cells*planes, c.Actions)
	}
	n.policy = conv("policy", 1, c.Channels, planes)
	n.value = conv("value", 1, c.Channels, c.ValuePlanes)
	n.hidden = dense("value.hidden", cells*c.ValuePlanes, c.ValueFeatures)
	n.out = dense("value.out", c.ValueFeatures, 1)
	return n
}

// scratch is the working memory of one tile.
type scratch struct {
	net                         *Net
	x, y, policy, value, hidden []float32
}

// Evaluate runs the network; see Evaluator. Warm, it allocates nothing.
func (n *Net) Evaluate(_ context.Context, b *Batch) error {
	s, ok := b.Scratch.(*scratch)
	if !ok || s.net != n {
		cells := n.network.Planes.Cells()
		s = &scratch{
			net:    n,
			x:      make([]float32, tile*cells*n.network.Channels),
			y:      make([]float32, tile*cells*n.network.Channels),
			policy: make([]float32, tile*cells*n.policy.Out),
			value:  make([]float32, tile*cells*n.network.ValuePlanes),
			hidden: make([]float32, tile*n.network.ValueFeatures),
		}
		b.Scratch = s
	}
	planes, actions := n.network.Planes.Size(), n.network.Actions
	for from := 0; from < b.N; from += tile {
		to := min(b.N, from+tile)
		n.run(s, b.Planes[from*planes:to*planes], b.Logits[from*actions:to*actions], b.Values[from:to])
	}
	return b.checkFinite(n.name, actions)
}

// run evaluates a tile of boards.
func (n *Net) run(s *scratch, planes, logits, values []float32) {
	boards := len(values)
	n.stem.Run(s.x, planes, nil, boards, true)
	for _, b := range n.blocks {
		b[0].Run(s.y, s.x, nil, boards, true)
		b[1].Run(s.x, s.y, s.x, boards, true)
	}
	if n.dense == nil {
		n.policy.Run(logits, s.x, nil, boards, false)
	} else {
		n.policy.Run(s.policy, s.x, nil, boards, true)
		n.dense.Run(logits, s.policy, nil, boards, false)
	}
	n.value.Run(s.value, s.x, nil, boards, true)
	n.hidden.Run(s.hidden, s.value, nil, boards, true)
	n.out.Run(values, s.hidden, nil, boards, false)
	for i, v := range values {
		values[i] = float32(math.Tanh(float64(v)))
	}
}
