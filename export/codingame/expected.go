//go:build !js

package codingame

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dojo.example/engine"
	"dojo.example/model"
)

// An expectation is the line that a bot must print for a position when it runs with "eval":
//
//	3e9a4b01 01 12:be0c11d2:1 37:3f8a0000:2
//	value    |  action:logit:next ...
//	         strikes
//
// The value and logits are the bits of floats in hexadecimal.
type expectation struct {
	value   string
	strikes string   // whether the player to move can win at once, and whether the other could; nothing without engine.Striker
	actions []action // legal ones, in the order of engine.State.Legal
}

// action is what an expectation says about a legal action.
type action struct {
	engine.Action
	logit string
	next  int // who moves next, 0 or 1; 2 if the game ends and First has won, 3 Second, 4 for a draw
}

// expected is what the rules say about p, and an evaluator in the first row of a batch.
func expected(p engine.Position, b *model.Batch) (x expectation) {
	x.value = floatBits(b.Values[0])
	if s, ok := p.State().(engine.Striker); ok {
		x.strikes = digit(s.Strikes(p.ToMove())) + digit(s.Strikes(1-p.ToMove()))
	}
	from, _ := b.Input.LegalRange(0, 1)
	for i, a := range p.Legal(nil) {
		after := p.Play(a)
		next := 1 + int(after.Outcome())
		if after.Outcome() == engine.Ongoing {
			next = int(after.ToMove())
		}
		x.actions = append(x.actions, action{a, floatBits(b.Logits[from+i]), next})
	}
	return x
}

func floatBits(x float32) string { return fmt.Sprintf("%08x", math.Float32bits(x)) }

func digit(is bool) string {
	if is {
		return "1"
	}
	return "0"
}

// ends is the number of actions that end the game.
func (x expectation) ends() (n int) {
	for _, a := range x.actions {
		if a.next > 1 {
			n++
		}
	}
	return n
}

// compare returns an error that names the first thing in which a bot's line is another one.
func (x expectation) compare(p engine.Position, line string) error {
	differ := func(format string, args ...any) error {
		return fmt.Errorf("in %q "+format, append([]any{p}, args...)...)
	}
	said := strings.Split(line, " ") // the second is empty without engine.Striker
	if len(said) != 2+len(x.actions) {
		return differ("the bot lists %d legal actions, the rules %d", len(said)-2, len(x.actions))
	}
	for i, a := range x.actions {
		number, rest, _ := strings.Cut(said[2+i], ":")
		logit, next, _ := strings.Cut(rest, ":")
		name := p.ActionString(a.Action)
		switch {
		case number != fmt.Sprint(a.Action):
			return differ("legal action %d is %d (%s) by the rules, and %s by the bot's", i, a.Action, name, number)
		case next != strconv.Itoa(a.next):
			return differ("%s after %s, and %s by the bot's rules", told(strconv.Itoa(a.next)), name, told(next))
		case logit != a.logit:
			return differ("the bot's logit of %s has the bits %s, the network's in 8 bits %s", name, logit, a.logit)
		}
	}
	switch {
	case said[1] != x.strikes:
		return differ("the player to move and the other one can win at once: %s by the rules, %s by the bot's strikes and threatened (1: yes)", x.strikes, said[1])
	case said[0] != x.value:
		return differ("the bot's value has the bits %s, the network's in 8 bits %s", said[0], x.value)
	}
	return nil
}

// told says in words what follows an action.
func told(next string) string {
	words := map[string]string{"0": "first is to move", "1": "second is to move", "2": "first has won", "3": "second has won", "4": "the game is a draw"}
	if text, ok := words[next]; ok {
		return text
	}
	return fmt.Sprintf("the outcome is unknown (%q)", next)
}
