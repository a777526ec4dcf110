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

// Settings are the options that follow a game's name, as in
// "oanquan:big_value=5,borrow=true". A game reads the options that it has; Check reports
// wrong values and unknown options.
type Settings struct {
	TextReader
	values map[string]string
	known  []string
}

// ReadSettings reads the part of a game's name after the colon.
func ReadSettings(name, text string) *Settings {
	s := &Settings{TextReader: TextReader{Game: "game " + name}, values: map[string]string{}}
	for item := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(item, "=")
		if _, twice := s.values[key]; !ok || twice {
			s.Fail("option %q is not one key=value", item)
		}
		s.values[key] = value
	}
	return s
}

func (s *Settings) take(key string) (value string, ok bool) {
	s.known = append(s.known, key)
	value, ok = s.values[key]
	delete(s.values, key)
	return value, ok
}

// Int returns an option that is a number from low to high, or otherwise if it is not set.
func (s *Settings) Int(key string, otherwise, low, high int) int {
	text, ok := s.take(key)
	if !ok {
		return otherwise
	}
	return s.Number(key, text, low, high)
}

// Either returns whether an option is yes and not no, or otherwise if it is not set.
func (s *Settings) Either(key string, otherwise bool, no, yes string) bool {
	text, ok := s.take(key)
	if ok && text != no && text != yes {
		s.Fail("%s is %q, want %s or %s", key, text, no, yes)
	}
	return text == yes || !ok && otherwise
}

// Bool returns an option that is true or false, or otherwise if it is not set.
func (s *Settings) Bool(key string, otherwise bool) bool {
	return s.Either(key, otherwise, "false", "true")
}

// Check returns an error for the first wrong value or, after all options have been read,
// the first unknown one.
func (s *Settings) Check() error {
	for key := range s.values {
		s.Fail("there is no option %q; it has %s", key, strings.Join(s.known, ", "))
	}
	return s.Err
}
