//go:build !amd64 && !arm64 && !js

package kernel

func available() []level { return []level{portable} }

func (l level) quant() level { return l }
