//go:build !js

package codingame

import (
	"fmt"
	"math"
	"strings"

	"dojo.example/engine"
	"dojo.example/model"
)

// expected returns the words of the line that a bot run with "eval" must print for the position p.
// It takes the network's outputs for p from the first row of the evaluated batch b. It also returns
// how many legal actions end the game. The line has this form:
//
//	3e9a4b01 01 12:be0c11d2:1 37:3f8a0000:2
//	value    |  action:logit:next ...
//	         strikes
//
// The value and the logits are the bits of floats in hexadecimal. The first digit of "strikes" is 1
// if the player to move can win with one action, and otherwise 0. The second digit is 1 if the
// other player could win with one action if it were that player's turn. For a game without
// engine.Striker, strikes is empty. The rest of the line has one word for each legal action, in the
// order of engine.State.Legal. In such a word, "next" is the player who moves after the action, 0
// or 1. If the action ends the game, it is 2 if the player First has won, 3 if the player Second
// has won, and 4 for a draw.
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

// compare returns an error that names the first difference between a bot's line and the expected
// words.
func compare(p engine.Position, words []string, line string) error {
	differ := func(format string, args ...any) error {
		return fmt.Errorf("in %q "+format, append([]any{p}, args...)...)
	}
	said := strings.Split(line, " ") // without engine.Striker, the second word is empty
	if len(said) != len(words) {
		return differ("the bot lists %d legal actions, but the game's rules give %d", len(said)-2, len(words)-2)
	}
	for i, a := range p.Legal(nil) {
		number, logit, next := parts(said[2+i])
		wantNumber, wantLogit, wantNext := parts(words[2+i])
		name := p.ActionString(a)
		switch {
		case number != wantNumber:
			return differ("legal action %d is %s (%s) by the game's rules, but %s by the bot's rules", i, wantNumber, name, number)
		case next != wantNext:
			return differ("%s after %s by the game's rules, but %s by the bot's rules", told(wantNext), name, told(next))
		case logit != wantLogit:
			return differ("the bot's logit of %s has the bits %s, but the network in 8 bits gives %s", name, logit, wantLogit)
		}
	}
	switch {
	case said[1] != words[1]:
		return differ("whether the player to move, and the other one, can win with one action is %s by the game's rules, but %s by the bot's strikes and threatened (1 means yes)", words[1], said[1])
	case said[0] != words[0]:
		return differ("the bot's value has the bits %s, but the network in 8 bits gives %s", said[0], words[0])
	}
	return nil
}

// parts splits the word of an action into its three parts.
func parts(word string) (number, logit, next string) {
	number, rest, _ := strings.Cut(word, ":")
	logit, next, _ = strings.Cut(rest, ":")
	return number, logit, next
}

// told describes the part "next" of a bot's answer in words; see expected.
func told(next string) string {
	words := map[string]string{"0": "first is to move", "1": "second is to move", "2": "first has won", "3": "second has won", "4": "the game is a draw"}
	if text, ok := words[next]; ok {
		return text
	}
	return fmt.Sprintf("the outcome is unknown (%q)", next)
}
