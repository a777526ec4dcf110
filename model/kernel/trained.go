package kernel

// Trained is a convolution as training needs it. The methods may be called concurrently,
// but for Pack.
type Trained interface {
	// Pack sets weights, [K][K][In][Out], and bias, [Out].
	Pack(weight, bias []float32)

	// Run computes n boards: dst = conv(src) + bias + residual, with negative results
	// replaced by 0 if relu. residual may be nil, and may be dst itself.
	Run(dst, src, residual []float32, n int, relu bool)

	// InputGrad computes, for n boards, the gradient of the layer's input given that of
	// its output: dsrc = that + residual. residual may be nil, and may be dsrc itself.
	InputGrad(dsrc, dout, residual []float32, n int)

	// WeightGrad writes to dw and db the gradients of the weights and the bias over n
	// boards, given the layer's input src and the gradient of its output.
	WeightGrad(dw, db, src, dout []float32, n int)
}

// NewTrained returns a convolution of size k×k on boards of h×w cells, the fastest there
// is, with all weights zero. The bits of its results are the same on every processor.
func NewTrained(h, w, in, out, k int) Trained {
	if fitsWinograd(h, w, in, out, k) {
		return newWinograd(in, out)
	}
	return &direct{NewConv(h, w, in, out, k), NewConv(h, w, out, in, k)}
}

// A direct convolution multiplies each cell with each tap.
type direct struct {
	*Conv
	backward *Conv // turns the gradient of the output into that of the input
}

func (d *direct) Pack(weight, bias []float32) {
	d.Conv.Pack(weight, bias)
	d.backward.PackTransposed(weight)
}

func (d *direct) InputGrad(dsrc, dout, residual []float32, n int) {
	d.backward.Run(dsrc, dout, residual, n, false)
}
