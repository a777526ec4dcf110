package codingame

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"
	"unicode/utf16"

	"dojo/mcts"
)

// Limit is the largest length of a program that CodinGame accepts, in UTF-16 units.
const Limit = 100_000

// Language is the programming language of a bot.
type Language string

// The languages.
const (
	CPP Language = "cpp"
	Go  Language = "go"
)

//go:embed bot.cpp.tmpl
var cppSource string

//go:embed bot.go.tmpl
var goSource string

// Source returns the text of the bot's program: the student, and a search with these
// constants that thinks for the budget in each turn. The lines of provenance become a
// comment at its head. A program longer than Limit is an error.
func Source(l Language, s *Student, search mcts.Config, budget time.Duration, provenance []string) (string, error) {
	text := map[Language]string{CPP: cppSource, Go: goSource}[l]
	t, err := template.New(string(l)).Delims("⟦", "⟧").Parse(text)
	if err != nil {
		panic(err) // the templates are part of this program
	}
	var b strings.Builder
	err = t.Execute(&b, map[string]any{
		"Provenance": provenance, "Budget": fmt.Sprintf("%g", budget.Seconds()), "Weights": pack(s.bytes()),
		"Stem": s.Stem, "Policy": s.Policy, "Value": s.Value, "Top": s.Top,
		"CPuct": float(search.CPuct), "CPuctBase": float(search.CPuctBase), "FPUReduction": float(search.FPUReduction),
	})
	if err != nil {
		return "", err
	}
	if n := Units(b.String()); n > Limit {
		return "", fmt.Errorf("the program has %d characters, CodinGame takes %d: the student is too large", n, Limit)
	}
	return b.String(), nil
}

// float writes a constant as C++ and Go read it, with a decimal point.
func float(x float32) string {
	s := fmt.Sprint(x)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// Units is the length of a text as CodinGame counts it.
func Units(text string) int { return len(utf16.Encode([]rune(text))) }

// bytes returns the student's numbers as the programs read them, little-endian.
func (s *Student) bytes() []byte {
	var b []byte
	put := func(width int, v int32) {
		for i := range width {
			b = append(b, byte(v>>(8*i)))
		}
	}
	weights := func(w []int8) {
		for _, x := range w {
			put(1, int32(x))
		}
	}
	wide := func(width int, lists ...[]int32) {
		for _, l := range lists {
			for _, x := range l {
				put(width, x)
			}
		}
	}
	weights(s.W1)
	for _, l := range [][]int16{s.B1, s.M1} {
		for _, x := range l {
			put(2, int32(x))
		}
	}
	weights(s.W2)
	wide(4, s.Tail2.B, s.Tail2.Cap, s.Tail2.M)
	weights(s.W3)
	wide(4, s.Tail3.B, s.Tail3.Cap, s.Tail3.M)
	weights(s.WP)
	wide(3, s.BP)
	wide(4, []int32{s.MP})
	weights(s.W4)
	wide(4, []int32{s.B4, s.M4})
	return b
}

// pack writes bytes as text, of which each character holds 15 bits, the first in its
// lowest bits: character U+3400 + bits. None of these is a surrogate, a control
// character or a quote.
func pack(b []byte) string {
	const bits, base = 15, 0x3400
	var out strings.Builder
	var have uint32
	n := 0
	for _, x := range b {
		have |= uint32(x) << n
		if n += 8; n >= bits {
			out.WriteRune(rune(base + have&(1<<bits-1)))
			have >>= bits
			n -= bits
		}
	}
	if n > 0 {
		out.WriteRune(rune(base + have))
	}
	return out.String()
}
