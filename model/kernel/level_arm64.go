package kernel

import "golang.org/x/sys/cpu"

// The generated assembly files define these tables with the addresses of the kernels.
var neonKernels, sdotKernels [functions]uintptr

var (
	neon = &level{name: "neon", functions: &neonKernels, lanes: 4, rows: 4, channels: 16, halves: true}
	sdot = &level{name: "neon+sdot", base: neon, functions: &sdotKernels, lanes: 4, rows: neon.rows, channels: neon.channels}
)

// available lists the levels that the processor supports, from the slowest to the fastest. All
// arm64 processors have NEON.
func available() []*level {
	if cpu.ARM64.HasASIMDDP {
		return []*level{portable, neon, sdot}
	}
	return []*level{portable, neon}
}
