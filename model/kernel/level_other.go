//go:build !amd64

package kernel

func available() []level { return []level{portable} }

// On these processors no convolution is made for any of the following.

func (level) mask(int) uintptr              { panic("kernel: no vectors here") }
func (level) conv(int, int, *rowArgs)       { panic("kernel: no vectors here") }
func (level) cells(int, int, *rowArgs)      { panic("kernel: no vectors here") }
func (level) grad(int, int, *gradArgs)      { panic("kernel: no vectors here") }
func (level) peak(int) (operations float64) { return 0 }
