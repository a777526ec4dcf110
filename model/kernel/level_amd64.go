package kernel

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// available lists what the processor can run, the best last.
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

// masks has eight full lanes followed by eight empty ones.
var masks = [16]int32{-1, -1, -1, -1, -1, -1, -1, -1}

// mask is what the kernels take as the mask of a last vector of n lanes: bits
// for AVX-512, the address of a vector for AVX2.
func (l level) mask(n int) uintptr {
	if l == avx512 {
		return 1<<n - 1
	}
	return uintptr(unsafe.Pointer(&masks[8-n]))
}

// conv calls the 3×3 kernel for rows of so many cells.
func (l level) conv(cells, vectors int, a *rowArgs) {
	switch key(l, cells, vectors) {
	case avx512<<8 | 3<<4 | 4:
		avx512Conv3x4(a)
	case avx512<<8 | 3<<4 | 2:
		avx512Conv3x2(a)
	case avx512<<8 | 3<<4 | 1:
		avx512Conv3x1(a)
	case avx512<<8 | 5<<4 | 4:
		avx512Conv5x4(a)
	case avx512<<8 | 5<<4 | 2:
		avx512Conv5x2(a)
	case avx512<<8 | 5<<4 | 1:
		avx512Conv5x1(a)
	case avx512<<8 | 6<<4 | 4:
		avx512Conv6x4(a)
	case avx512<<8 | 6<<4 | 2:
		avx512Conv6x2(a)
	case avx512<<8 | 6<<4 | 1:
		avx512Conv6x1(a)
	case avx512<<8 | 9<<4 | 2:
		avx512Conv9x2(a)
	case avx512<<8 | 9<<4 | 1:
		avx512Conv9x1(a)
	case avx2<<8 | 3<<4 | 4:
		avx2Conv3x4(a)
	case avx2<<8 | 3<<4 | 2:
		avx2Conv3x2(a)
	case avx2<<8 | 3<<4 | 1:
		avx2Conv3x1(a)
	case avx2<<8 | 5<<4 | 2:
		avx2Conv5x2(a)
	case avx2<<8 | 5<<4 | 1:
		avx2Conv5x1(a)
	case avx2<<8 | 6<<4 | 2:
		avx2Conv6x2(a)
	case avx2<<8 | 6<<4 | 1:
		avx2Conv6x1(a)
	case avx2<<8 | 9<<4 | 1:
		avx2Conv9x1(a)
	default:
		panic(fmt.Sprintf("kernel: no conv kernel %v %d×%d", l, cells, vectors))
	}
}

// cells calls the 1×1 kernel for so many cells.
func (l level) cells(cells, vectors int, a *rowArgs) {
	switch key(l, cells, vectors) {
	case avx512<<8 | 6<<4 | 4:
		avx512Cells6x4(a)
	case avx512<<8 | 6<<4 | 2:
		avx512Cells6x2(a)
	case avx512<<8 | 6<<4 | 1:
		avx512Cells6x1(a)
	case avx512<<8 | 1<<4 | 4:
		avx512Cells1x4(a)
	case avx512<<8 | 1<<4 | 2:
		avx512Cells1x2(a)
	case avx512<<8 | 1<<4 | 1:
		avx512Cells1x1(a)
	case avx2<<8 | 6<<4 | 2:
		avx2Cells6x2(a)
	case avx2<<8 | 6<<4 | 1:
		avx2Cells6x1(a)
	case avx2<<8 | 1<<4 | 2:
		avx2Cells1x2(a)
	case avx2<<8 | 1<<4 | 1:
		avx2Cells1x1(a)
	default:
		panic(fmt.Sprintf("kernel: no cells kernel %v %d×%d", l, cells, vectors))
	}
}

// grad calls the gradient kernel for so many input channels.
func (l level) grad(channels, vectors int, a *gradArgs) {
	switch key(l, channels, vectors) {
	case avx512<<8 | 4<<4 | 4:
		avx512Grad4x4(a)
	case avx512<<8 | 4<<4 | 2:
		avx512Grad4x2(a)
	case avx512<<8 | 4<<4 | 1:
		avx512Grad4x1(a)
	case avx512<<8 | 1<<4 | 4:
		avx512Grad1x4(a)
	case avx512<<8 | 1<<4 | 2:
		avx512Grad1x2(a)
	case avx512<<8 | 1<<4 | 1:
		avx512Grad1x1(a)
	case avx2<<8 | 4<<4 | 2:
		avx2Grad4x2(a)
	case avx2<<8 | 4<<4 | 1:
		avx2Grad4x1(a)
	case avx2<<8 | 1<<4 | 2:
		avx2Grad1x2(a)
	case avx2<<8 | 1<<4 | 1:
		avx2Grad1x1(a)
	default:
		panic(fmt.Sprintf("kernel: no grad kernel %v %d×%d", l, channels, vectors))
	}
}

// key packs what chooses a kernel.
func key(l level, n, vectors int) level { return l<<8 | level(n)<<4 | level(vectors) }

// peak runs n rounds of nothing but multiply-adds and returns how many
// floating-point operations they were.
func (l level) peak(n int) (operations float64) {
	switch l {
	case avx512:
		avx512Peak(n)
	case avx2:
		avx2Peak(n)
	default:
		return 0
	}
	return float64(n) * 12 * 2 * float64(l.lanes())
}
