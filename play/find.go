package play

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"dojo/engine"
)

// ErrOver is that a game has ended and nothing more can be played.
var ErrOver = errors.New("the game is over")

// Find is the action that text names, or the actions of a whole turn: by name,
// by a name that differs only in case, or by its number in the list of legal
// actions, counted from 1. The error says what may have been meant.
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
	if _, explains := p.State().(engine.ActionReader); explains {
		return nil, &UnknownError{text, err}
	}
	return nearest(p, legal, text)
}

// nearest finds an action whose name differs from text only in case, or names
// those that contain it.
func nearest(p engine.Position, legal []engine.Action, text string) ([]engine.Action, error) {
	var same []engine.Action
	var near []string
	for _, action := range legal {
		name := p.ActionString(action)
		if strings.EqualFold(name, text) {
			same = append(same, action)
		}
		if strings.Contains(strings.ToLower(name), strings.ToLower(text)) {
			near = append(near, strconv.Quote(name))
		}
	}
	switch {
	case len(same) == 1:
		return same, nil
	case len(near) > 0:
		return nil, fmt.Errorf("%q is not an action here; did you mean %s?", text, either(near))
	}
	return nil, &UnknownError{Text: text}
}

// UnknownError is text that names no legal action.
type UnknownError struct {
	Text   string
	Reason error // what the game says is wrong with it; nil if it says nothing
}

func (e *UnknownError) Error() string {
	if e.Reason != nil {
		return e.Reason.Error()
	}
	return fmt.Sprintf("%q is no legal action", e.Text)
}

func (e *UnknownError) Unwrap() error { return e.Reason }

// either joins some of the words: a list of hundreds helps nobody.
func either(words []string) string {
	const most = 8
	if len(words) > most {
		return strings.Join(words[:most], " or ") + fmt.Sprintf(", or one of %d more", len(words)-most)
	}
	return strings.Join(words, " or ")
}
