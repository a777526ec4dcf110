package engine_test

import (
	"strings"
	"testing"

	"dojo.example/engine"
)

func TestSettings(t *testing.T) {
	read := func(text string) (stones int, borrow, end bool, err error) {
		s := engine.ReadSettings("game", text)
		stones, borrow, end = s.Int("stones", 5, 1, 9), s.Bool("borrow", true), s.Either("end", true, "either", "mover")
		return stones, borrow, end, s.Check()
	}
	if stones, borrow, end, err := read("end=either,stones=7,borrow=false"); stones != 7 || borrow || end || err != nil {
		t.Errorf("%d %v %v %v", stones, borrow, end, err)
	}
	if stones, borrow, end, err := read("stones=1"); stones != 1 || !borrow || !end || err != nil {
		t.Errorf("%d %v %v %v", stones, borrow, end, err)
	}
	for text, says := range map[string]string{
		"stones=10":         `stones "10" is not a number from 1 to 9`,
		"stones=many":       "many",
		"borrow=perhaps":    "want one of: true, false",
		"end=never":         "want one of: mover, either",
		"colour=red":        `no option "colour"; the options are stones, borrow, end`,
		"borrow":            `option "borrow" must have the form key=value`,
		"stones=2,stones=3": "stones=3",
		"":                  "key=value",
	} {
		if _, _, _, err := read(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q gives %v, want an error with %q", text, err, says)
		}
	}
}

func TestChoice(t *testing.T) {
	for text, want := range map[string]string{"size=small": "small", "size=large": "large", "other=1": "middle"} {
		s := engine.ReadSettings("game", text)
		if got := s.Choice("size", "middle", "small", "large"); got != want {
			t.Errorf("with %s the choice is %q, want %q", text, got, want)
		}
	}
	s := engine.ReadSettings("game", "size=huge")
	s.Choice("size", "middle", "small", "large")
	if err, says := s.Check(), `size is "huge", want one of: middle, small, large`; err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("size=huge gives %v, want an error with %q", err, says)
	}
}
