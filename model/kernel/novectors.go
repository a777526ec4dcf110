//go:build !amd64 && !arm64

package kernel

// Without kernels for parts of a layer nothing asks for any of the following.

func exists(key) bool                       { return false }
func (key) run(*rowArgs)                    { panic("kernel: no vectors here") }
func (key) grad(*gradArgs)                  { panic("kernel: no vectors here") }
func (key) gather(*gatherArgs)              { panic("kernel: no vectors here") }
func (key) columns(*columnArgs)             { panic("kernel: no vectors here") }
func (level) logits(*logitArgs)             { panic("kernel: no vectors here") }
func (level) dots(*logitArgs)               { panic("kernel: no vectors here") }
func (level) round(*roundArgs)              { panic("kernel: no vectors here") }
func (level) relu(*reluArgs)                { panic("kernel: no vectors here") }
func (level) add(*addArgs)                  { panic("kernel: no vectors here") }
func (level) squares(*squaresArgs)          { panic("kernel: no vectors here") }
func (level) adam(*adamArgs)                { panic("kernel: no vectors here") }
func (level) expand(int, *transformArgs)    { panic("kernel: no vectors here") }
func (level) contract(int, *transformArgs)  { panic("kernel: no vectors here") }
func (level) mask(int) uintptr              { panic("kernel: no vectors here") }
func (level) quantPeak(int) float64         { return 0 }
func (level) peak(int) (operations float64) { return 0 }
