package data

import (
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// The reader checks the sizes that a page states before it reads the page. If it did not, each of
// these pages would make the library allocate far more memory than the page holds.
func TestPages(t *testing.T) {
	frame := func(text string) []byte {
		content, err := parquet.Zstd.Encode(nil, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	lengths := func(texts ...string) []byte {
		ends := []uint32{0}
		for _, text := range texts {
			ends = append(ends, ends[len(ends)-1]+uint32(len(text)))
		}
		content, err := parquet.DeltaLengthByteArray.EncodeByteArray(nil, []byte(strings.Join(texts, "")), ends)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	p := &pages{limits: Limits{Text: 3}}
	long := frame(strings.Repeat("x", 1<<20))
	for _, test := range []struct {
		name  string
		err   error
		cause string // expected error; "" if the page is valid
	}{
		{"a run of 5", checkRuns([]byte{10, 1}, 1, 5), ""},
		{"a group of 8 for 5", checkRuns([]byte{3, 0xff}, 1, 5), ""},
		{"a run of 2^31", checkRuns([]byte{0xfe, 0xff, 0xff, 0xff, 0xf, 1}, 1, 5), "a run is longer"},
		{"many runs", checkRuns([]byte{10, 1, 10, 1, 10, 1}, 1, 5), "the runs have 15 values, but the page needs 5"},
		{"too few", checkRuns([]byte{8, 1}, 1, 5), "the runs have 4 values, but the page needs 5"},
		{"bits without bytes", checkRuns([]byte{3}, 1, 5), "the runs have 8 values"},
		{"a page", checkSize(long, 1<<20, true), ""},
		{"a small page", checkSize(frame("abc"), 3, true), ""},
		{"a page that becomes larger", checkSize(long, 1<<10, true), "not one ZSTD frame with 1024 bytes"},
		{"a page behind another", checkSize(append(frame("abc"), long...), 3, true), "bytes after its content"},
		{"no ZSTD", checkSize([]byte("abcdefgh"), 8, true), "not compressed with ZSTD"},
		{"a page that is cut off", checkSize(long[:len(long)-1], 1<<20, true), "cut off"},
		{"texts", p.checkTexts(lengths("abc", "", "d"), 3), ""},
		{"a long text", p.checkTexts(lengths("a", "bcdef"), 2), "a text has 5 bytes"},
		{"more lengths than values", p.checkTexts(lengths("a", "b"), 1), "not encoded as dojo encodes them"},
		{"2^31 lengths", p.checkTexts([]byte("\x80\x01\x04\xff\xff\xff\xff\x07\x00"), 2), "not encoded as dojo encodes them"},
		{"a text of 2 GB", sizeError("\x18\xff\xff\xff\xff\x07abc\x00"), "EOF"},
		{"nested structures", sizeError(strings.Repeat("\x1c", 100)), "nested too deeply"},
		{"lists of lists", sizeError("\x19" + strings.Repeat("\xf9\xff\x0f", 100)), "lists of more than 4096 elements"},
	} {
		if (test.err == nil) != (test.cause == "") || test.err != nil && !strings.Contains(test.err.Error(), test.cause) {
			t.Errorf("%s: error %v, want %q", test.name, test.err, test.cause)
		}
	}
}

func sizeError(text string) error {
	_, err := structSize([]byte(text))
	return err
}
