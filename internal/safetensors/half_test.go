package safetensors_test

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"dojo.example/internal/safetensors"
)

// halves returns a file with a tensor of the type F16 that has the given bits as its only element.
func halves(low, high byte) []byte {
	whole := sealed(`{"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}`, 2)
	whole[len(whole)-2], whole[len(whole)-1] = low, high
	return reseal(whole)
}

// Read reads every number of the type F16, including infinities and NaN, and Write writes the same
// bits again. RoundHalf changes no finite number of this type.
func TestAllHalves(t *testing.T) {
	for h := range 1 << 16 {
		whole := halves(byte(h), byte(h>>8))
		_, got, err := safetensors.Read(bytes.NewReader(whole))
		if err != nil || len(got) != 1 || !got[0].Half {
			t.Fatalf("%#x is read as %v, %v", h, got, err)
		}
		x := got[0].Data[0]
		sign, exponent, low := 1-2*float64(h>>15), h>>10&31, float64(h&1023)
		want := sign * math.Ldexp(1024+low, exponent-25)
		switch {
		case exponent == 0:
			want = math.Copysign(math.Ldexp(low, -24), sign)
		case exponent == 31 && low == 0:
			want = math.Inf(int(sign))
		case exponent == 31:
			want = math.NaN()
		}
		if float64(x) != want && !(math.IsNaN(float64(x)) && math.IsNaN(want)) || math.Signbit(float64(x)) != (h>>15 == 1) {
			t.Fatalf("%#x is %v, want %v", h, x, want)
		}
		var again bytes.Buffer
		if err := safetensors.Write(&again, nil, got); err != nil || !bytes.Equal(again.Bytes()[again.Len()-2:], whole[len(whole)-2:]) {
			t.Fatalf("%#x is written as %x, %v", h, again.Bytes()[again.Len()-2:], err)
		}
		if r := safetensors.RoundHalf(x); exponent < 31 && math.Float32bits(r) != math.Float32bits(x) {
			t.Fatalf("%v is rounded to %v", x, r)
		}
	}
}

// RoundHalf takes the nearest number of the type F16, which for infinities is the largest finite
// one. Write refuses numbers that the type lacks.
func TestRoundHalf(t *testing.T) {
	for _, c := range []struct{ x, want float32 }{
		{1 + 0x1p-11, 1}, {1 + 0x1p-11 + 0x1p-20, 1 + 0x1p-10}, {1 + 3*0x1p-11, 1 + 0x1p-9}, {-1 - 0x1p-11, -1},
		{2 - 0x1p-12, 2}, {0.1, 0.0999755859375},
		{65505, 65504}, {-1e9, -65504},
		{0x1p-25, 0}, {0x1.8p-25, 0x1p-24}, {0x1p-24 + 0x1p-25, 0x1p-23}, {1e-30, 0}, {math.SmallestNonzeroFloat32, 0},
		{0x1p-14 - 0x1p-26, 0x1p-14}, {0x1p-14 - 0x1p-25, 0x1p-14},
	} {
		if got := safetensors.RoundHalf(c.x); got != c.want {
			t.Errorf("%v is rounded to %v, want %v", c.x, got, c.want)
		}
		one := []safetensors.Tensor{{Name: "a", Shape: []int{1}, Data: []float32{c.x}, Half: true}}
		if err := safetensors.Write(&bytes.Buffer{}, nil, one); err == nil || !strings.Contains(err.Error(), "tensor a contains ") {
			t.Errorf("%v is written: %v", c.x, err)
		}
		one[0].Data[0] = c.want
		if err := safetensors.Write(&bytes.Buffer{}, nil, one); err != nil {
			t.Error(err)
		}
	}
	for sign := range 2 {
		infinity := float32(math.Inf(2*sign - 1))
		if got, want := safetensors.RoundHalf(infinity), float32(2*sign-1)*65504; got != want {
			t.Errorf("%v is rounded to %v, want %v", infinity, got, want)
		}
	}
	if nan := safetensors.RoundHalf(float32(math.NaN())); nan == nan {
		t.Errorf("NaN is rounded to %v", nan)
	}
}

// A file with tensors of both types is read as it was written. The tensors of the type F16 take two
// bytes for each element.
func TestBothTypes(t *testing.T) {
	both := []safetensors.Tensor{
		{Name: "a", Shape: []int{3}, Data: []float32{1, -0.5, 65504}, Half: true},
		{Name: "b", Shape: []int{2}, Data: []float32{0.1, 2}},
		{Name: "c", Shape: []int{0}, Data: []float32{}, Half: true},
	}
	var whole bytes.Buffer
	if err := safetensors.Write(&whole, meta, both); err != nil {
		t.Fatal(err)
	}
	if want := `"a":{"dtype":"F16","shape":[3],"data_offsets":[0,6]},"b":{"dtype":"F32","shape":[2],"data_offsets":[6,14]}`; !strings.Contains(whole.String(), want) {
		t.Errorf("the file lacks %s", want)
	}
	m, got, err := safetensors.Read(bytes.NewReader(whole.Bytes()))
	if err != nil || !reflect.DeepEqual(got, both) {
		t.Fatalf("read %v, %v", got, err)
	}
	var again bytes.Buffer
	if err := safetensors.Write(&again, m, got); err != nil || !bytes.Equal(again.Bytes(), whole.Bytes()) {
		t.Errorf("the file is written differently: %v", err)
	}
}

// Read refuses a tensor of the type F16 whose bytes do not fit its shape, and all other types.
func TestWrongHalves(t *testing.T) {
	for _, header := range []string{
		`{"a":{"dtype":"F16","shape":[1],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"F16","shape":[3],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"F16","shape":[-1,-2],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"F16","shape":[4611686018427387904,4],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}`,
		`{"a":{"shape":[2],"data_offsets":[0,4]}}`,
		`{"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},"b":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}`,
	} {
		if _, got, err := safetensors.Read(bytes.NewReader(sealed(header, 4))); err == nil {
			t.Errorf("%s is read as %v", header, got)
		}
	}
}
