package safetensors

import (
	"fmt"
	"math"
)

// maxHalf is the largest finite number of the type F16.
const maxHalf = 65504

// RoundHalf returns the number of the type F16 that is nearest to x. If two are equally near, it
// returns the one whose last bit is 0. Numbers beyond ±65504 become ±65504. NaN stays NaN.
func RoundHalf(x float32) float32 {
	if x != x {
		return x
	}
	bounded := float64(max(-maxHalf, min(maxHalf, x)))
	// Numbers with the exponent e are multiples of 2^(e-11). Below 2^-14, the distance stays the same.
	_, e := math.Frexp(bounded)
	unit := math.Ldexp(1, max(e, -13)-11)
	return float32(math.RoundToEven(bounded/unit) * unit)
}

// appendHalves appends the numbers of the tensor in the type F16. It returns an error if the type
// lacks one of the numbers.
func appendHalves(data []byte, t Tensor) ([]byte, error) {
	for _, x := range t.Data {
		h := truncate(x)
		if math.Float32bits(widen(h)) != math.Float32bits(x) {
			return nil, fmt.Errorf("tensor %s contains %v, which F16 cannot store exactly; round it first", t.Name, x)
		}
		data = append(data, byte(h), byte(h>>8))
	}
	return data, nil
}

// readHalves fills all from data, which has two bytes for each number, the low byte first.
func readHalves(all []float32, data []byte) {
	for i := range all {
		all[i] = widen(uint16(data[2*i]) | uint16(data[2*i+1])<<8)
	}
}

// A number of the type F16 has a sign, 5 bits for the exponent and 10 for the fraction. A float32
// has 8 and 23:
//
//	F16      [ sign | exponent + 15 | fraction ]     smallest normal number 2^-14
//	float32  [ sign | exponent + 127 | fraction ]
//
// The exponent's largest value is for infinities and NaN, and 0 is for 0 and subnormal numbers,
// which in F16 are the fraction times 2^-24.
const (
	infinite  = 0xff      // exponent of infinite float32 numbers
	rebias    = 127 - 15  // difference between the stored exponents of a number
	shift     = 23 - 10   // difference between the lengths of the fractions
	implicit  = 1 << 23   // the bit that a normal float32 has above its fraction
	subnormal = 0x1p-24   // the smallest positive number of F16
	fraction  = 1<<10 - 1 // the fraction of F16
)

// truncate returns the bits in the type F16 of x. If the type lacks x, the result is any other
// number.
func truncate(x float32) uint16 {
	bits := math.Float32bits(x)
	sign, exponent, low := uint16(bits>>16&0x8000), int(bits>>23&0xff), bits&(implicit-1)
	switch e := exponent - rebias; {
	case exponent == infinite:
		return sign | 31<<10 | uint16(low>>shift)
	case e >= 31: // too large
		return sign
	case e > 0:
		return sign | uint16(e)<<10 | uint16(low>>shift)
	default:
		return sign | uint16((low|implicit)>>min(shift+1-e, 31))
	}
}

// widen returns the number with the given bits in the type F16.
func widen(h uint16) float32 {
	sign, low := uint32(h&0x8000)<<16, uint32(h&fraction)
	switch e := uint32(h >> 10 & 31); e {
	case 31:
		return math.Float32frombits(sign | infinite<<23 | low<<shift)
	case 0:
		return math.Float32frombits(sign | math.Float32bits(float32(low)*subnormal))
	default:
		return math.Float32frombits(sign | (e+rebias)<<23 | low<<shift)
	}
}
