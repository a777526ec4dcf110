package arena

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"dojo.example/engine"
)

// wordReader returns a function that reads a line of words in the format of Pascal Pons's positions
// of Connect Four, or with the actions that keep the result:
//
//	13712 3
//	13712 1 abcf 7
//
// The first word has the actions that lead from the beginning of a game to the position. The second
// word is a number: positive if the player to move wins, negative if the player loses, and 0 for a
// draw. The third word has the actions that keep this result, and the fourth is the number of legal
// actions. Without the last two words, judge finds the actions.
func wordReader(judge Judge) func(game engine.Game, line []byte) (Problem, kind, error) {
	return func(game engine.Game, line []byte) (p Problem, k kind, err error) {
		words := strings.Fields(string(line))
		if len(words) != 2 && len(words) != 4 {
			return p, k, errors.New("the line needs two or four words: the actions of a game, its result, and perhaps the actions that keep the result and the number of legal actions")
		}
		if p.Position, err = played(game, words[0]); err != nil {
			return p, k, err
		}
		score, err := strconv.Atoi(words[1])
		if err != nil {
			return p, k, fmt.Errorf("the result %q is not a whole number", words[1])
		}
		result := min(max(score, -1), 1)
		p.Value = valueOrder[1+result]
		var keep []engine.Action
		switch {
		case len(words) == 4:
			keep, err = kept(p.Position, words[2], words[3])
		case judge == nil:
			err = fmt.Errorf("the line has only the result of the position, and nothing can find the actions that keep it in %s; add them", game.Name)
		default:
			keep, err = judge(p.Position, result)
		}
		if err != nil {
			return p, k, err
		}
		p.Keep = map[engine.Action]bool{}
		for _, a := range keep {
			p.Keep[a] = true
		}
		if len(p.Keep) == len(p.Position.Legal(nil)) {
			return p, even, nil
		}
		return p, matters, nil
	}
}

// played returns the position after a sequence of actions from the beginning of a game.
func played(game engine.Game, actions string) (engine.Position, error) {
	p, err := game.FirstPosition(rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		return nil, err
	}
	all, err := engine.ParseActions(p, actions)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		p = p.Play(a)
	}
	if p.Outcome() != engine.Ongoing {
		return nil, fmt.Errorf("the game is over after the actions %s", actions)
	}
	return p, nil
}

// kept reads the names of the actions that keep the result of p, one character each, and checks the
// number of legal actions.
func kept(p engine.Position, names, legal string) (keep []engine.Action, err error) {
	for _, name := range names {
		a, err := engine.ParseAction(p, string(name))
		if err != nil {
			return nil, err
		}
		keep = append(keep, a)
	}
	if want := len(p.Legal(nil)); legal != strconv.Itoa(want) {
		return nil, fmt.Errorf("the line says that %s actions are legal, but %d are", legal, want)
	}
	return keep, nil
}
