//go:build !js

package codingame

import (
	"fmt"
	"math"
	"strings"

	"dojo.example/engine"
	"dojo.example/model"
)

// expected returns the words of the line that a bot must print for p when it runs with "eval", as
// the rules have it, and an evaluator in the first row of a batch; and the number of actions that end
// the game:
//
//	3e9a4b01 01 12:be0c11d2:1 37:3f8a0000:2
//	value    |  action:logit:next ...
//	         strikes
//
// The value and logits are the bits of floats in hexadecimal. strikes says whether the player to
// move can win at once, and whether the other could; it is empty without engine.Striker. The actions
// are the legal ones in the order of engine.State.Legal. next is who moves next, 0 or 1; it is 2 if
// the game ends and First has won, 3 for Second, 4 for a draw.
func expected(p engine.Position, b *model.Batch) (words []string, ends int) {
	strikes := ""
	if s, ok := p.State().(engine.Striker); ok {
		for _, player := range [...]engine.Player{p.ToMove(), 1 - p.ToMove()} {
			strikes += map[bool]string{true: "1", false: "0"}[s.Strikes(player)]
		}
	}
	words = []string{floatBits(b.Values[0]), strikes}
	from, _ := b.Input.LegalRange(0, 1)
	for i, a := range p.Legal(nil) {
		after := p.Play(a)
		next := int(after.ToMove())
		if o := after.Outcome(); o != engine.Ongoing {
			next = 1 + int(o)
			ends++
		}
		words = append(words, fmt.Sprintf("%d:%s:%d", a, floatBits(b.Logits[from+i]), next))
	}
	return words, ends
}

func floatBits(x float32) string { return fmt.Sprintf("%08x", math.Float32bits(x)) }

// compare returns an error that names the first thing in which a bot's line is not that of the
// expected words.
func compare(p engine.Position, words []string, line string) error {
	differ := func(format string, args ...any) error {
		return fmt.Errorf("in %q "+format, append([]any{p}, args...)...)
	}
	said := strings.Split(line, " ") // the second is empty without engine.Striker
	if len(said) != len(words) {
		return differ("the bot lists %d legal actions, the rules %d", len(said)-2, len(words)-2)
	}
	for i, a := range p.Legal(nil) {
		number, logit, next := parts(said[2+i])
		wantNumber, wantLogit, wantNext := parts(words[2+i])
		name := p.ActionString(a)
		switch {
		case number != wantNumber:
			return differ("legal action %d is %s (%s) by the rules, and %s by the bot's", i, wantNumber, name, number)
		case next != wantNext:
			return differ("%s after %s, and %s by the bot's rules", told(wantNext), name, told(next))
		case logit != wantLogit:
			return differ("the bot's logit of %s has the bits %s, the network's in 8 bits %s", name, logit, wantLogit)
		}
	}
	switch {
	case said[1] != words[1]:
		return differ("the player to move and the other one can win at once: %s by the rules, %s by the bot's strikes and threatened (1: yes)", words[1], said[1])
	case said[0] != words[0]:
		return differ("the bot's value has the bits %s, the network's in 8 bits %s", said[0], words[0])
	}
	return nil
}

// parts returns the parts of the word of an action.
func parts(word string) (number, logit, next string) {
	number, rest, _ := strings.Cut(word, ":")
	logit, next, _ = strings.Cut(rest, ":")
	return number, logit, next
}

// told says in words what follows an action.
func told(next string) string {
	words := map[string]string{"0": "first is to move", "1": "second is to move", "2": "first has won", "3": "second has won", "4": "the game is a draw"}
	if text, ok := words[next]; ok {
		return text
	}
	return fmt.Sprintf("the outcome is unknown (%q)", next)
}
