// Package bounded limits and checks text that comes from outside the program. It limits the length
// of the lines that the program reads, and of the text that an error quotes. [Unmarshal] decodes
// JSON and checks its characters. [Text] and [Texts] check text in other formats. [Plain] and
// [PlainReader] drop the byte order mark that some editors write. [Visible] escapes text before it
// is printed.
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

// ErrLine is the error if a line has more than Line bytes.
var ErrLine = fmt.Errorf("the line has more than %d bytes", Line)

// Lines returns a reader of the plain text of r (see [PlainReader]). If a line has more than [Line]
// bytes, reading fails with ErrLine before the line ends. So the caller can collect a whole line
// without a limit of its own.
func Lines(r io.Reader) io.Reader { return &lines{r: PlainReader(r)} }

type lines struct {
	r    io.Reader
	size int // number of bytes of the current line that were read so far
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

// quoted is the largest number of characters that an error quotes from one text.
const quoted = 80

// Quote quotes the first 80 characters of text as %q does.
func Quote(text string) string {
	if n := []rune(text[:min(len(text), 4*quoted+4)]); len(n) > quoted {
		text = string(n[:quoted]) + "…"
	}
	return strconv.Quote(text)
}

// longQuotation matches a text in double quotes, as %q writes it, if the text is longer than an
// error may contain. The limit is twice the length of what Quote returns.
var longQuotation = regexp.MustCompile(`"(?:[^"\\]|\\.){160,}"`)

// Clip shortens the long quotations in the text of an error. The text of a position has only about
// a hundred characters, but text from another program may have any number.
func Clip(text string) string {
	return longQuotation.ReplaceAllStringFunc(text, func(q string) string {
		whole, err := strconv.Unquote(q)
		if err != nil {
			whole = q[1 : len(q)-1]
		}
		return Quote(whole)
	})
}

// Between returns an error that contains key unless least ≤ value ≤ most.
func Between[N int | float32](key string, value, least, most N) error {
	if !(value >= least && value <= most) { // this form is also true if value is NaN
		return fmt.Errorf("%s: %v is not between %v and %v", key, value, least, most)
	}
	return nil
}
