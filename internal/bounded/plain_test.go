package bounded

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// The result is the same with and without a byte order mark. If the text is in UTF-16, the error
// says so.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		text, want string
		err        error
	}{
		{"seed: 1\n", "seed: 1\n", nil},
		{BOM + "seed: 1\n", "seed: 1\n", nil},
		{BOM, "", nil},
		{"\xef", "\xef", nil},
		{"é" + BOM, "é" + BOM, nil},
		{"", "", nil},
		{"q", "q", nil},
		{"\xff\xfes\x00", "", ErrUTF16},
		{"\xfe\xff\x00s", "", ErrUTF16},
		{"s\x00e\x00", "", ErrUTF16},
		{"\x00s\x00e", "", ErrUTF16},
	} {
		got, err := Plain([]byte(c.text))
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("Plain(%q) = %q, %v", c.text, got, err)
		}
		if c.text == "s\x00e\x00" {
			continue // after an ordinary first byte, a PlainReader does not wait for a second one
		}
		for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
			if got, err := io.ReadAll(PlainReader(r)); string(got) != c.want || !errors.Is(err, c.err) {
				t.Errorf("PlainReader(%q) = %q, %v", c.text, got, err)
			}
		}
	}
}

// A PlainReader passes on bytes as soon as they arrive, because a user may, for example, type only
// q at a prompt.
func TestPlainReaderDoesNotWait(t *testing.T) {
	in, out := io.Pipe()
	defer in.Close()
	go func() { _, _ = out.Write([]byte("q")) }() // no other byte follows
	b := make([]byte, 9)
	if n, err := PlainReader(in).Read(b); err != nil || string(b[:n]) != "q" {
		t.Errorf("read %q, %v", b[:n], err)
	}
}
