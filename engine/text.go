package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// TextReader parses the parts of a position's text. It keeps the first error in Err.
type TextReader struct {
	Game string
	Err  error
}

// Fail sets Err, unless Err is already set.
func (r *TextReader) Fail(format string, args ...any) {
	if r.Err == nil {
		r.Err = fmt.Errorf(r.Game+": "+format, args...)
	}
}

// Number parses a number, which must be from low to high. If the text is not such a number, Number
// sets Err and returns low.
func (r *TextReader) Number(name, text string, low, high int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		r.Fail("%s %q is not a number from %d to %d", name, text, low, high)
		return low
	}
	return n
}

// Numbers parses a list of numbers that are separated by commas. There must be exactly count
// numbers, each from low to high.
func (r *TextReader) Numbers(name, text string, count, low, high int) []int {
	numbers, parts := make([]int, count), strings.Split(text, ",")
	if len(parts) != count {
		r.Fail("%s %q is not a list of %d numbers", name, text, count)
		return numbers
	}
	for i := range numbers {
		numbers[i] = r.Number(name, parts[i], low, high)
	}
	return numbers
}

// Settings holds the options after a game's name, as in "oanquan:big_value=5,borrow=true". A game
// first reads each option that it knows. Then it calls Check, which reports wrong values and
// unknown options.
type Settings struct {
	TextReader
	values map[string]string
	known  []string
	open   map[string][]string // options that Choice read and that are not set, with their values
}

// ReadSettings parses the part of a game's name after the colon.
func ReadSettings(name, text string) *Settings {
	s := &Settings{TextReader: TextReader{Game: "game " + name}, values: map[string]string{}, open: map[string][]string{}}
	for item := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(item, "=")
		if _, twice := s.values[key]; !ok || twice {
			s.Fail("option %q must have the form key=value and occur only once", item)
		}
		s.values[key] = value
	}
	return s
}

// FeaturesOption is the name of the option that chooses the features of a game. It does not change the
// rules.
const FeaturesOption = "features"

// SameRules reports whether two names of games, with their options, differ at most in the option
// FeaturesOption. So the states of the two games have the same type and the same rules.
func SameRules(a, b string) bool { return withoutFeatures(a) == withoutFeatures(b) }

// withoutFeatures returns a game's name without the option FeaturesOption.
func withoutFeatures(name string) string {
	base, text, _ := strings.Cut(name, ":")
	kept := slices.DeleteFunc(strings.Split(text, ","), func(option string) bool {
		return option == "" || strings.HasPrefix(option, FeaturesOption+"=")
	})
	return strings.Join(append([]string{base}, kept...), ",")
}

func (s *Settings) take(key string) (value string, ok bool) {
	s.known = append(s.known, key)
	value, ok = s.values[key]
	delete(s.values, key)
	return value, ok
}

// Int returns the value of an option whose value is a number from low to high. If the option is not
// set, Int returns otherwise, the caller's default.
func (s *Settings) Int(key string, otherwise, low, high int) int {
	text, ok := s.take(key)
	if !ok {
		return otherwise
	}
	return s.Number(key, text, low, high)
}

// Either reads an option whose value is one of two words. It returns false for the first word and
// true for the second. If the option is not set, Either returns otherwise, the caller's default.
func (s *Settings) Either(key string, otherwise bool, no, yes string) bool {
	if otherwise {
		return s.Choice(key, yes, no) == yes
	}
	return s.Choice(key, no, yes) == yes
}

// Choice returns the value of an option that must be one of the given values. If the option is not
// set, Choice returns the first of them.
func (s *Settings) Choice(key string, values ...string) string {
	text, ok := s.take(key)
	switch {
	case !ok:
		s.open[key] = values
		return values[0]
	case !slices.Contains(values, text):
		s.Fail("%s is %q, want one of: %s", key, text, strings.Join(values, ", "))
	}
	return text
}

// Open returns the values of an option that the game has read with Choice and that is not set. The
// first value is the default. For all other options, Open returns nil.
func (s *Settings) Open(key string) []string { return s.open[key] }

// Bool returns the value of an option whose value is true or false. If the option is not set, Bool
// returns otherwise, the caller's default.
func (s *Settings) Bool(key string, otherwise bool) bool {
	return s.Either(key, otherwise, "false", "true")
}

// Check returns an error for the first wrong value or for an unknown option. Call it after all
// options have been read.
func (s *Settings) Check() error {
	for key := range s.values {
		s.Fail("there is no option %q; the options are %s", key, strings.Join(s.known, ", "))
	}
	return s.Err
}
