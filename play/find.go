package play

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"dojo.example/engine"
)

// ErrOver is returned for actions after the end of a game.
var ErrOver = errors.New("the game is over")

// Find returns the action that text names, or the actions of a whole turn. Text is a
// name, a number in the list of legal actions, counted from 1, or a part of a name that
// no other action has; prefixes go before other parts. Case does not matter unless the
// game has an engine.ActionReader. The error suggests similar actions.
func Find(p engine.Position, text string) ([]engine.Action, error) {
	if p.Outcome() != engine.Ongoing {
		return nil, ErrOver
	}
	text = strings.Join(strings.Fields(text), " ")
	all, err := engine.ParseActions(p, text)
	if err == nil {
		return all, oneTurn(p, all)
	}
	legal := p.Legal(nil)
	if n, bad := strconv.Atoi(text); bad == nil && n >= 1 && n <= len(legal) {
		return legal[n-1 : n], nil
	}
	_, explains := p.State().(engine.ActionReader)
	letters := strings.ToLower
	if explains { // the game may distinguish cases
		letters = func(s string) string { return s }
	}
	near := nearest(p, legal, text, letters)
	if len(near) == 1 {
		return near, nil
	}
	if explains {
		return nil, &UnknownError{text, err}
	}
	if len(near) == 0 {
		return nil, &UnknownError{Text: text}
	}
	var names []string
	for _, action := range near {
		names = append(names, strconv.Quote(p.ActionString(action)))
	}
	return nil, fmt.Errorf("%q is not an action here; did you mean %s?", text, either(names))
}

// nearest returns the actions whose names equal text, or else begin with it, or else
// contain it, after letters has normalized both.
func nearest(p engine.Position, legal []engine.Action, text string, letters func(string) string) []engine.Action {
	text = letters(text)
	for _, fits := range []func(name, text string) bool{
		func(name, text string) bool { return name == text }, strings.HasPrefix, strings.Contains,
	} {
		var near []engine.Action
		for _, action := range legal {
			if fits(letters(p.ActionString(action)), text) {
				near = append(near, action)
			}
		}
		if near != nil {
			return near
		}
	}
	return nil
}

// UnknownError reports text that names no legal action.
type UnknownError struct {
	Text   string
	Reason error // the game's explanation; may be nil
}

func (e *UnknownError) Error() string {
	if e.Reason != nil {
		return e.Reason.Error()
	}
	return fmt.Sprintf("%q is no legal action", e.Text)
}

func (e *UnknownError) Unwrap() error { return e.Reason }

// either joins the first words of a list, which may have hundreds.
func either(words []string) string {
	const most = 8
	if len(words) > most {
		return strings.Join(words[:most], " or ") + fmt.Sprintf(", or one of %d more", len(words)-most)
	}
	return strings.Join(words, " or ")
}
