package kernel

import "golang.org/x/sys/cpu"

// available lists the levels that the processor can run, the best last. All processors
// for arm64 have NEON.
func available() []level {
	if cpu.ARM64.HasASIMDDP {
		return []level{portable, neon, sdot}
	}
	return []level{portable, neon}
}

// quant is the level of the 8-bit kernels where l is chosen.
func (l level) quant() level { return l }

// mask returns what the kernels take as the mask of a block's last vector, of which n
// lanes are in use.
func (l level) mask(n int) uintptr { return uintptr(n) }

// logits runs the kernel of 8-bit logits.
func (l level) logits(a *logitArgs) {
	if l == sdot {
		sdotLogits(a)
	} else {
		neonLogits(a)
	}
}

// The other kernels are the same with dot products and without.

func (level) round(a *roundArgs)     { neonRound(a) }
func (level) relu(a *reluArgs)       { neonRelu(a) }
func (level) add(a *addArgs)         { neonAdd(a) }
func (level) squares(a *squaresArgs) { neonSquares(a) }
func (level) adam(a *adamArgs)       { neonAdam(a) }
func (level) dots(a *logitArgs)      { neonDots(a) }

// expand runs the kernel that takes n numbers to points, see transform.
func (level) expand(n int, a *transformArgs) {
	if n == 3 {
		neonExpand3(a)
	} else {
		neonExpand5(a)
	}
}

// contract runs the kernel that takes points to n numbers.
func (level) contract(n int, a *transformArgs) {
	if n == 3 {
		neonContract3(a)
	} else {
		neonContract5(a)
	}
}

// quantPeak is QuantMultiplyAdds at level l.
func (l level) quantPeak(n int) (operations float64) {
	switch l {
	case sdot:
		sdotQuantPeak(n)
	case neon:
		neonQuantPeak(n)
	default:
		return 0
	}
	const multiplyAdds = 4 * 48 // a round
	return float64(n * multiplyAdds * 2 * l.lanes())
}

// peak is MultiplyAdds at level l.
func (l level) peak(n int) (operations float64) {
	if l == portable {
		return 0
	}
	neonPeak(n)
	const multiplyAdds = 48 // a round
	return float64(n * multiplyAdds * 2 * l.lanes())
}
