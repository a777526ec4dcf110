package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// available lists the levels that the processor can run, the best last.
func available() []level {
	all := []level{portable}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		all = append(all, avx2)
		if cpu.X86.HasAVX512F {
			all = append(all, avx512)
		}
	}
	return all
}

// quant is the level of the 8-bit kernels for a processor whose best is l. Those
// for AVX-512 need VNNI.
func (l level) quant() level {
	switch {
	case l == portable || l == avx512 && cpu.X86.HasAVX512VNNI:
		return l
	case cpu.X86.HasAVXVNNI:
		return avxvnni
	}
	return avx2
}

// masks has eight full lanes followed by eight empty ones.
var masks = [16]int32{-1, -1, -1, -1, -1, -1, -1, -1}

// mask returns what the kernels take as the mask of a block's last vector, of
// which n lanes are in use: one bit a lane for AVX-512, and for AVX2 the address
// of a vector whose lanes in use are -1.
func (l level) mask(n int) uintptr {
	if l == avx512 {
		return 1<<n - 1
	}
	return uintptr(unsafe.Pointer(&masks[8-n]))
}

// round runs the rounding kernel.
func (l level) round(a *roundArgs) {
	if l == avx512 {
		avx512Round(a)
	} else {
		avx2Round(a)
	}
}

// relu runs the kernel of the ReLU's gradient.
func (l level) relu(a *reluArgs) {
	if l == avx512 {
		avx512Relu(a)
	} else {
		avx2Relu(a)
	}
}

// add runs the kernel that adds an array to another.
func (l level) add(a *addArgs) {
	if l == avx512 {
		avx512Add(a)
	} else {
		avx2Add(a)
	}
}

// squares runs the kernel that sums squares.
func (l level) squares(a *squaresArgs) {
	if l == avx512 {
		avx512Squares(a)
	} else {
		avx2Squares(a)
	}
}

// adam runs the kernel of Adam.
func (l level) adam(a *adamArgs) {
	if l == avx512 {
		avx512Adam(a)
	} else {
		avx2Adam(a)
	}
}

// expand runs the kernel that takes n numbers to points, see transform.
func (l level) expand(n int, a *transformArgs) {
	switch {
	case l == avx512 && n == 3:
		avx512Expand3(a)
	case l == avx512:
		avx512Expand5(a)
	case n == 3:
		avx2Expand3(a)
	default:
		avx2Expand5(a)
	}
}

// contract runs the kernel that takes points to n numbers.
func (l level) contract(n int, a *transformArgs) {
	switch {
	case l == avx512 && n == 3:
		avx512Contract3(a)
	case l == avx512:
		avx512Contract5(a)
	case n == 3:
		avx2Contract3(a)
	default:
		avx2Contract5(a)
	}
}

// quantPeak is peak in 8 bits, where a lane makes four products at once.
func (l level) quantPeak(n int) (operations float64) {
	switch l {
	case avx512:
		avx512QuantPeak(n)
	case avx2:
		avx2QuantPeak(n)
	case avxvnni:
		avxvnniQuantPeak(n)
	default:
		return 0
	}
	const multiplyAdds = 4 * 48 // a round
	return float64(n * multiplyAdds * 2 * l.lanes())
}

// peak is MultiplyAdds at level l.
func (l level) peak(n int) (operations float64) {
	switch l {
	case avx512:
		avx512Peak(n)
	case avx2:
		avx2Peak(n)
	default:
		return 0
	}
	const multiplyAdds = 48 // a round
	return float64(n * multiplyAdds * 2 * l.lanes())
}

// logits runs the kernel of 8-bit logits.
func (l level) logits(a *logitArgs) {
	switch l {
	case avx512:
		avx512Logits(a)
	case avxvnni:
		avxvnniLogits(a)
	default:
		avx2Logits(a)
	}
}

// dots runs the kernel of dot products, which has vectors of one width for the
// sake of one order of sums.
func (l level) dots(a *logitArgs) { avx2Dots(a) }
