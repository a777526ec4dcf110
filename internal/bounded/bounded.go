// Package bounded limits and checks text that comes from outside the program. [Lines] limits the
// length of input lines. [Quote] and [Clip] limit the length of quotations in errors. [Unmarshal]
// decodes JSON and checks its characters. [Text] and [Texts] check text in other formats. [Plain]
// and [PlainReader] remove the byte order mark that some editors write. [Visible] escapes text
// before it is printed.
package bounded

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// Line is the maximum length of a line of input in bytes.
const Line = 64 << 10

// ErrLine is the error for a line longer than Line bytes.
var ErrLine = fmt.Errorf("the line has more than %d bytes", Line)

// Lines returns a reader of the plain text of r (see [PlainReader]). If a line has more than [Line]
// bytes, reading fails with ErrLine before the line ends. So callers can read whole lines without
// limiting their length.
func Lines(r io.Reader) io.Reader { return &lines{r: PlainReader(r)} }

type lines struct {
	r    io.Reader
	size int // number of bytes of the current line read so far
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

// quoted is the maximum number of characters that Quote quotes.
const quoted = 80

// Quote quotes the first 80 characters of text as %q does.
func Quote(text string) string {
	if n := []rune(text[:min(len(text), 4*quoted+4)]); len(n) > quoted {
		text = string(n[:quoted]) + "…"
	}
	return strconv.Quote(text)
}

// longQuotation matches a quotation in the form of %q that is too long for an error message. Its
// limit is twice what Quote allows, because Quote may escape characters.
var longQuotation = regexp.MustCompile(`"(?:[^"\\]|\\.){160,}"`)

// Clip shortens long quotations in an error message. A quoted position has only about a hundred
// characters, but a quotation from another program can be arbitrarily long.
func Clip(text string) string {
	return longQuotation.ReplaceAllStringFunc(text, func(q string) string {
		whole, err := strconv.Unquote(q)
		if err != nil {
			whole = q[1 : len(q)-1]
		}
		return Quote(whole)
	})
}

// Between returns an error that names key, unless least ≤ value ≤ most.
func Between[N int | float32](key string, value, least, most N) error {
	if !(value >= least && value <= most) { // written in this form so that NaN is an error
		return fmt.Errorf("%s: %v is not between %v and %v", key, value, least, most)
	}
	return nil
}
