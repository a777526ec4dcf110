// Package kernel is the arithmetic of the networks: convolutions on small
// boards in float32, forward and backward, in generated AVX-512 and AVX2
// code with a portable twin in Go. The choice is made once, at start; see
// [Name].
//
// Activations lie board by board, row by row, cell by cell, channels
// innermost (NHWC), without padding. Weights are [ky][kx][in][out]. A dense
// layer over n rows is a 1×1 convolution on boards of one cell.
package kernel

// Conv is a convolution of size K×K (1 or 3, zero padding, stride 1) on
// boards of H×W cells with its weights packed for the kernels. After packing
// it does not change: Run may be called concurrently.
type Conv struct {
	H, W    int
	In, Out int
	K       int
	w, bias []float32
}

// NewConv returns a convolution with all weights zero.
func NewConv(h, w, in, out, k int) *Conv {
	return &Conv{H: h, W: w, In: in, Out: out, K: k, w: make([]float32, k*k*in*out), bias: make([]float32, out)}
}

// Pack sets weights, [K][K][In][Out], and bias, [Out]; nil means zero.
func (c *Conv) Pack(weight, bias []float32) {
	copy(c.w, weight)
	clear(c.bias)
	copy(c.bias, bias)
}

// PackTransposed packs the transpose of a forward convolution whose weights
// are [K][K][Out][In] of this one (its input is this one's output), without
// bias: the convolution that takes output gradients to input gradients.
func (c *Conv) PackTransposed(weight []float32) {
	for ky := range c.K {
		for kx := range c.K {
			for i := range c.In {
				for o := range c.Out {
					c.w[((ky*c.K+kx)*c.In+i)*c.Out+o] = weight[(((c.K-1-ky)*c.K+c.K-1-kx)*c.Out+o)*c.In+i]
				}
			}
		}
	}
	clear(c.bias)
}

// Run computes n boards: dst = conv(src) + bias + residual, with negative
// results replaced by 0 if relu. residual may be nil, and may be dst itself.
// The result for a board does not depend on n.
func (c *Conv) Run(dst, src, residual []float32, n int, relu bool) {
	r := c.K / 2
	for b := range n {
		for y := range c.H {
			for x := range c.W {
				o := dst[((b*c.H+y)*c.W+x)*c.Out:][:c.Out]
				if residual != nil {
					copy(o, residual[((b*c.H+y)*c.W+x)*c.Out:][:c.Out])
				} else {
					clear(o)
				}
				for k := range o {
					o[k] += c.bias[k]
				}
				for ky := range c.K {
					for kx := range c.K {
						sy, sx := y+ky-r, x+kx-r
						if sy < 0 || sx < 0 || sy >= c.H || sx >= c.W {
							continue
						}
						for i, v := range src[((b*c.H+sy)*c.W+sx)*c.In:][:c.In] {
							if v != 0 {
								for k, w := range c.w[((ky*c.K+kx)*c.In+i)*c.Out:][:c.Out] {
									o[k] += v * w
								}
							}
						}
					}
				}
				if relu {
					for k := range o {
						o[k] = max(0, o[k])
					}
				}
			}
		}
	}
}

// WeightGrad adds to dw, [K][K][In][Out], and db, [Out], the gradients of
// the weights and bias of c over n boards, given the layer's input src and
// the gradient of its output dout. It does not use c's weights.
func (c *Conv) WeightGrad(dw, db, src, dout []float32, n int) {
	r := c.K / 2
	for b := range n {
		for y := range c.H {
			for x := range c.W {
				g := dout[((b*c.H+y)*c.W+x)*c.Out:][:c.Out]
				for k, v := range g {
					db[k] += v
				}
				for ky := range c.K {
					for kx := range c.K {
						sy, sx := y+ky-r, x+kx-r
						if sy < 0 || sx < 0 || sy >= c.H || sx >= c.W {
							continue
						}
						for i, v := range src[((b*c.H+sy)*c.W+sx)*c.In:][:c.In] {
							if v != 0 {
								for k, d := range g {
									dw[((ky*c.K+kx)*c.In+i)*c.Out+k] += v * d
								}
							}
						}
					}
				}
			}
		}
	}
}

// Name is the instruction set in use: "avx512", "avx2" or "portable".
func Name() string { return "portable" }
