//go:build amd64 || arm64

package detmath

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// exp32Start replaces leading vectors of x, stopping before a number that is out of
// range, and returns how many numbers it has replaced.
func exp32Start(x []float32) int {
	if runtime.GOARCH == "amd64" && !cpu.X86.HasAVX2 {
		return 0
	}
	return exp32Vectors(unsafe.SliceData(x), len(x)/4*4, &exp32Constants)
}
