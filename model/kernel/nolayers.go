//go:build !js

package kernel

// Without kernels for whole layers nothing asks for any of the following.

func (*plan) runLayer(*rowArgs, int)      { panic("kernel: no layers here") }
func (*Conv) runFloats(*rowArgs, int)     { panic("kernel: no layers here") }
func (level) runColumns(*columnArgs, int) { panic("kernel: no layers here") }
func (level) runLogits(*logitArgs, int)   { panic("kernel: no layers here") }
func (level) roundLayer(*roundArgs)       { panic("kernel: no layers here") }
