//go:build !amd64 && !arm64

package detmath

// exp32Start does nothing and returns 0, because there is no vector code for this processor.
func exp32Start([]float32) int { return 0 }
