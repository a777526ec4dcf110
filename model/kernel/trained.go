package kernel

// Trained is a convolution as training needs it. But for Pack all its methods may be called
// concurrently, each goroutine with a [Workspace] of its own.
type Trained interface {
	// Pack sets weights, [K][K][In][Out], and bias, [Out].
	Pack(weight, bias []float32)

	// Run computes n boards: dst = conv(src) + bias + residual, with negative results
	// replaced by 0 if relu. residual may be nil, and may be dst itself.
	Run(s *Workspace, dst, src, residual []float32, n int, relu bool)

	// Backward begins the backward pass of n boards, given the gradient of the layer's
	// output, which must not change as long as the result is used.
	Backward(dout []float32, n int) Backward
}

// A Backward computes the gradients of a layer. With the same workspace, and no other use of
// that in between, the second of them takes less time.
type Backward interface {
	// Weights writes to dw and db the gradients of the weights and the bias, given the
	// layer's input src.
	Weights(s *Workspace, dw, db, src []float32)

	// Input computes the gradient of the layer's input: dsrc = that + residual. residual may
	// be nil, and may be dsrc itself.
	Input(s *Workspace, dsrc, residual []float32)
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

func (d *direct) Run(_ *Workspace, dst, src, residual []float32, n int, relu bool) {
	d.Conv.Run(dst, src, residual, n, relu)
}

func (d *direct) Backward(dout []float32, n int) Backward { return &directBackward{d, dout, n} }

type directBackward struct {
	*direct
	dout   []float32
	boards int
}

func (b *directBackward) Weights(_ *Workspace, dw, db, src []float32) {
	b.WeightGrad(dw, db, src, b.dout, b.boards)
}

func (b *directBackward) Input(_ *Workspace, dsrc, residual []float32) {
	b.backward.Run(dsrc, b.dout, residual, b.boards, false)
}
