// Package bounded limits text that comes from outside the program. It limits the length of lines
// that are read and of text that errors quote. It also checks the characters of text from files and
// other programs: [Unmarshal] decodes such text as JSON, and [Text] and [Texts] check text in other
// formats. [Plain] and [PlainReader] drop the byte order mark that some editors write. [Visible]
// escapes text before it is printed.
package bounded

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// Line is the largest number of bytes in a line of input.
const Line = 64 << 10

// ErrLine is the error for a line of more than Line bytes.
var ErrLine = fmt.Errorf("the line has more than %d bytes", Line)

// Lines returns a reader of the plain text of r (see [PlainReader]). It fails with ErrLine within a
// line of more than [Line] bytes, so a caller that collects a line needs no limit of its own.
func Lines(r io.Reader) io.Reader { return &lines{r: PlainReader(r)} }

type lines struct {
	r    io.Reader
	size int // number of bytes read of the current line
}

func (l *lines) Read(p []byte) (int, error) {
	if l.size > Line {
		return 0, ErrLine
	}
	n, err := l.r.Read(p)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		l.size = n - i - 1
	} else {
		l.size += n
	}
	return n, err
}

// quoted is the largest number of characters of a text that an error quotes.
const quoted = 80

// Quote quotes text as %q does, but at most its first 80 characters.
func Quote(text string) string {
	if n := []rune(text[:min(len(text), 4*quoted+4)]); len(n) > quoted {
		text = string(n[:quoted]) + "…"
	}
	return strconv.Quote(text)
}

// longQuotation matches text in double quotes, as %q writes it, with more than twice as many
// characters as an error should quote.
var longQuotation = regexp.MustCompile(`"(?:[^"\\]|\\.){160,}"`)

// Clip shortens long quotations in the text of an error. A position has about a hundred characters,
// but text from another program may have any number.
func Clip(text string) string {
	return longQuotation.ReplaceAllStringFunc(text, func(q string) string {
		whole, err := strconv.Unquote(q)
		if err != nil {
			whole = q[1 : len(q)-1]
		}
		return Quote(whole)
	})
}

// Between returns an error that names key if value is not from least to most.
func Between[N int | float32](key string, value, least, most N) error {
	if !(value >= least && value <= most) { // this form also rejects NaN
		return fmt.Errorf("%s: %v is not between %v and %v", key, value, least, most)
	}
	return nil
}
