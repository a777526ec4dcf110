package play

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dojo.example/engine"
)

// Find returns the action or the whole turn that a player has typed. The text is one of these:
//
//   - an action, or all actions of a turn, in the game's notation
//   - a number in the list of legal actions, from 1
//   - a part of an action's name that no other action contains; beginnings of names have priority
//
// Case is ignored unless the game has an engine.ActionReader. If the text matches several actions,
// the error suggests some of them.
func Find(p engine.Position, text string) ([]engine.Action, error) {
	text = strings.Join(strings.Fields(text), " ")
	all, err := engine.ParseActions(p, text)
	if err == nil {
		return all, oneTurn(p, all)
	}
	if p.Outcome() != engine.Ongoing {
		return nil, err
	}
	legal := p.Legal(nil)
	if n, bad := strconv.Atoi(text); bad == nil && n >= 1 && n <= len(legal) {
		return legal[n-1 : n], nil
	}
	_, explains := p.State().(engine.ActionReader)
	letters := strings.ToLower
	if explains { // the game may distinguish upper and lower case
		letters = strings.Clone
	}
	near := nearest(p, legal, letters(text), letters)
	if len(near) == 1 {
		return near, nil
	}
	if explains || len(near) == 0 {
		return nil, err
	}
	const most = 8 // suggest only some actions, because there may be hundreds
	var names []string
	for _, action := range near[:min(most, len(near))] {
		names = append(names, strconv.Quote(p.ActionString(action)))
	}
	return nil, fmt.Errorf("%q matches %d actions; did you mean %s?", text, len(near), strings.Join(names, " or "))
}

// nearest returns the actions whose names equal text. If there are none, it returns the actions
// whose names begin with text. If there are none of these either, it returns the actions whose
// names contain text. The function letters converts each name before the comparison, for example to
// lower case.
func nearest(p engine.Position, legal []engine.Action, text string, letters func(string) string) (near []engine.Action) {
	equal := func(name, text string) bool { return name == text }
	for _, fits := range []func(name, text string) bool{equal, strings.HasPrefix, strings.Contains} {
		near = slices.DeleteFunc(slices.Clone(legal), func(a engine.Action) bool { return !fits(letters(p.ActionString(a)), text) })
		if len(near) > 0 {
			break
		}
	}
	return near
}

// oneTurn returns an error if the actions include an action of the other player.
func oneTurn(p engine.Position, actions []engine.Action) error {
	mover := p.ToMove()
	for _, action := range actions {
		if p.ToMove() != mover {
			return errors.New("your turn ends before the last of these actions")
		}
		p = p.Play(action)
	}
	return nil
}
