package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// dotProduct writes VPDPBUSD: to each 32-bit lane of sum it adds the four products of
// signed bytes of a and unsigned bytes of b. Neither avo nor Go's assembler knows the form
// of this instruction that AVX-VNNI has, so that VPMADDUBSW, which takes the same operands,
// stands in for it in such files; writeDotProducts replaces it.
func (s isa) dotProduct(a, b, sum reg.VecPhysical) {
	if s.bytes == 64 {
		VPDPBUSD(a, b, sum)
	} else {
		VPMADDUBSW(a, b, sum)
	}
}

var standIn = regexp.MustCompile(`VPMADDUBSW +Y(\d+), Y(\d+), Y(\d+)`)

// writeDotProducts replaces every stand-in of dotProduct in an assembly file by
// the bytes of the instruction meant.
func writeDotProducts(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text = standIn.ReplaceAllFunc(text, func(line []byte) []byte {
		var r [3]int
		for i, digits := range standIn.FindSubmatch(line)[1:] {
			r[i], _ = strconv.Atoi(string(digits)) // digits, by the pattern
		}
		return vpdpbusd(r[0], r[1], r[2])
	})
	return os.WriteFile(path, text, 0o644)
}

// vpdpbusd encodes VPDPBUSD, VEX.256.66.0F38.W0 50 /r, for three Y registers.
func vpdpbusd(a, b, sum int) []byte {
	high := func(r int) int { return 1 - r>>3 } // extension bits are inverted
	code := []int{
		0xc4,
		high(sum)<<7 | 1<<6 | high(a)<<5 | 0b00010,
		(15-b)<<3 | 1<<2 | 0b01,
		0x50,
		0b11<<6 | sum&7<<3 | a&7,
	}
	var out []byte
	for i, c := range code {
		if i > 0 {
			out = append(out, "; "...)
		}
		out = fmt.Appendf(out, "BYTE $0x%02x", c)
	}
	return out
}
