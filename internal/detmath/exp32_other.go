//go:build !amd64 && !arm64

package detmath

// exp32Start replaces nothing: this processor has no vectors.
func exp32Start([]float32) int { return 0 }
