package bounded

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

// Lines accepts a line of the maximum length, no matter how it arrives in pieces. If a line is
// longer, Lines returns an error after reading only slightly more than that length.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", Line)
	for _, text := range []string{"a\nb\n", long + "\n" + long + "\nend"} {
		for _, r := range []*bufio.Reader{bufio.NewReader(Lines(strings.NewReader(text))), bufio.NewReader(Lines(iotest.HalfReader(strings.NewReader(text))))} {
			var got strings.Builder
			if _, err := r.WriteTo(&got); err != nil || got.String() != text {
				t.Errorf("of %d bytes %d are read, %v", len(text), got.Len(), err)
			}
		}
	}
	text, err := bufio.NewReader(Lines(strings.NewReader("a\n" + strings.Repeat("x", 100*Line)))).ReadString('\n')
	if err != nil || text != "a\n" {
		t.Errorf("the line before a long one is %q, %v", text, err)
	}
	text, err = bufio.NewReader(Lines(endless{})).ReadString('\n')
	if !errors.Is(err, ErrLine) || len(text) > 2*Line {
		t.Errorf("a line without end gives %d bytes, %v", len(text), err)
	}
}

// endless is a reader whose only line never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestClip(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`no "short" word`, `no "short" word`},
		{fmt.Sprintf("%q is no move", strings.Repeat("y\n", 5000)), fmt.Sprintf(`%q is no move`, strings.Repeat("y\n", 40)+"…")},
		{fmt.Sprintf("%q and %q", "a", strings.Repeat("é", 5000)), fmt.Sprintf(`"a" and %q`, strings.Repeat("é", 80)+"…")},
	} {
		if got := Clip(c.text); got != c.want {
			t.Errorf("clipped to %s, want %s", got, c.want)
		}
	}
}
