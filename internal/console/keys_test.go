package console

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// keys passes on text, complete key sequences and control characters. It drops sequences that are
// too long or unfinished, and the sequence that announces pasted text.
func TestKeys(t *testing.T) {
	long := strings.Repeat("1", 300)
	for typed, want := range map[string]string{
		"b2\r":                       "b2\r",
		"\x1b[A\x1b[3~\x1b[1;3Cä":    "\x1b[A\x1b[3~\x1b[1;3Cä",
		"\x1b[" + long + "\x03":      "\x03",
		"\x1b[" + long + "mb2\r":     "b2\r",
		"\x1b[" + long + long + "\r": "\r",
		"\x1b\x03":                   "\x03",
		"\x1b[1\x1b[A":               "\x1b[A",
		"\x1b[200~b2\x03":            "b2\x03",
		"\x1b[" + long + "\x1b[Bq\r": "\x1b[Bq\r",
		"\x1b[":                      "",
		long + long:                  long + long,
	} {
		for name, r := range map[string]io.Reader{"at once": strings.NewReader(typed), "byte by byte": iotest.OneByteReader(strings.NewReader(typed))} {
			got, err := io.ReadAll(bufio.NewReaderSize(&keys{r: r}, 16))
			if err != nil || string(got) != want {
				t.Errorf("typed %s, %.40q comes through as %.40q, %v; want %.40q", name, typed, got, err, want)
			}
		}
	}
}
