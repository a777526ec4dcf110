package enginetest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
)

// File returns the content of a file in the folder testdata. It decompresses a file whose name ends
// in .gz.
func File(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err == nil && strings.HasSuffix(name, ".gz") {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
			text, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Vectors reads a file of JSON values in the folder testdata and decodes each value as a V. The
// file may be compressed; see File.
func Vectors[V any](t testing.TB, name string) (all []V) {
	t.Helper()
	for d := json.NewDecoder(bytes.NewReader(File(t, name))); d.More(); {
		var v V
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}
