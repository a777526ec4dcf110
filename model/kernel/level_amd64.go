package kernel

import "golang.org/x/sys/cpu"

// The generated assembly files define these tables with the addresses of the kernels.
var avx2Kernels, avx512Kernels, avxvnniKernels [functions]uintptr

var (
	avx2    = &level{name: "avx2", functions: &avx2Kernels, lanes: 8, rows: 4, channels: 16}
	avx512  = &level{name: "avx512", narrow: avx2, functions: &avx512Kernels, lanes: 16, rows: 8, channels: 32}
	avxvnni = &level{name: "avxvnni", base: avx2, functions: &avxvnniKernels, lanes: 8, rows: avx2.rows, channels: avx2.channels}
)

// available lists the levels that the processor supports, from the slowest to the fastest.
func available() []*level {
	all := []*level{portable}
	x := &cpu.X86
	if x.HasAVX2 && x.HasFMA {
		all = append(all, avx2)
		if x.HasAVXVNNI {
			all = append(all, avxvnni)
		}
		if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL {
			// avx512's 8-bit kernels need VNNI; without it, use another level for 8 bits.
			if !x.HasAVX512VNNI {
				avx512.bytes = all[len(all)-1]
			}
			all = append(all, avx512)
		}
	}
	return all
}
