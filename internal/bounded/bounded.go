// Package bounded limits what text that comes from outside the program may be: the length
// of lines that are read and of text that is quoted in errors, and the characters of text
// that files and other programs send. [Unmarshal] decodes such text as JSON; where it comes
// in another format, [Text] and [Texts] check it. [Plain] and [PlainReader] drop the byte order mark
// that some editors write. [Visible] is for what is printed.
package bounded

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// Line is the most bytes that a line of input may have.
const Line = 64 << 10

// ErrLine is that a line is longer.
var ErrLine = fmt.Errorf("a line of more than %d bytes", Line)

// Lines returns a reader of the plain text of r (see [PlainReader]) that ends with ErrLine within
// a line of more than [Line] bytes, so that a caller that collects a line need not bound it.
func Lines(r io.Reader) io.Reader { return &lines{r: PlainReader(r)} }

type lines struct {
	r    io.Reader
	size int // of the line so far
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

// quoted is the most characters that an error quotes.
const quoted = 80

// Quote quotes text as %q does, but no more than its first 80 characters.
func Quote(text string) string {
	if n := []rune(text[:min(len(text), 4*quoted+4)]); len(n) > quoted {
		text = string(n[:quoted]) + "…"
	}
	return strconv.Quote(text)
}

// longQuotation is text in double quotes, as %q writes it, of more than twice
// as many characters as an error should quote.
var longQuotation = regexp.MustCompile(`"(?:[^"\\]|\\.){160,}"`)

// Clip shortens the quotations in an error's text: a position is a hundred
// characters, but what a stranger sent may be any number.
func Clip(text string) string {
	return longQuotation.ReplaceAllStringFunc(text, func(q string) string {
		whole, err := strconv.Unquote(q)
		if err != nil {
			whole = q[1 : len(q)-1]
		}
		return Quote(whole)
	})
}

// Between returns an error that names key unless value is from least to most.
func Between[N int | float32](key string, value, least, most N) error {
	if !(value >= least && value <= most) { // nor is NaN
		return fmt.Errorf("%s: %v is not between %v and %v", key, value, least, most)
	}
	return nil
}
