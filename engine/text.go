package engine

import (
	"fmt"
	"strconv"
	"strings"
)

// A TextReader reads the parts of a position's text. It keeps the first error.
type TextReader struct {
	Game string
	Err  error
}

// Fail sets the error unless there is one already.
func (r *TextReader) Fail(format string, args ...any) {
	if r.Err == nil {
		r.Err = fmt.Errorf(r.Game+": "+format, args...)
	}
}

// Number reads a number from low to high. After an error it returns low.
func (r *TextReader) Number(name, text string, low, high int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		r.Fail("%s %q is not a number from %d to %d", name, text, low, high)
		return low
	}
	return n
}

// Numbers reads count numbers with commas between them.
func (r *TextReader) Numbers(name, text string, count, low, high int) []int {
	numbers, parts := make([]int, count), strings.Split(text, ",")
	if len(parts) != count {
		r.Fail("%s %q is not %d numbers", name, text, count)
		return numbers
	}
	for i := range numbers {
		numbers[i] = r.Number(name, parts[i], low, high)
	}
	return numbers
}
