package breakthrough

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dojo.example/engine"
	"dojo.example/export/codingame"
)

//go:embed bot.cpp.txt
var botCPP string

//go:embed bot.go.txt
var botGo string

// CodinGame holds what dojo needs to generate a bot for CodinGame.
var CodinGame = codingame.Game{Title: "Breakthrough", Game: Rules.Game(), CPP: botCPP, Go: botGo}

// referee is the protocol of CodinGame's Breakthrough. Each turn, the player gets the opponent's
// last move, or None, then the number of legal moves, and then one legal move per line. A player
// must therefore remember its own moves.
var referee = engine.Protocol{
	Name:      "codingame",
	FirstTurn: 1000,
	Turn:      100,
	FromStart: true,
	Read:      read,
	Ask:       ask,
}

// ask returns the referee's input for one turn.
func ask(p, after engine.Position) (string, error) {
	moved, err := between(after, p)
	if err != nil {
		return "", err
	}
	legal := p.Legal(nil)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%d\n", moved, len(legal))
	for _, a := range legal {
		fmt.Fprintln(&b, p.ActionString(a))
	}
	return b.String(), nil
}

// between returns the name of the opponent's last move: the move that leads to p from the position
// after the player's last answer.
func between(after, p engine.Position) (string, error) {
	if after == nil {
		after = engine.Forget(start)
		if after.State() == p.State() {
			return "None", nil
		}
	}
	for _, a := range after.Legal(nil) {
		if after.Play(a).State() == p.State() {
			return after.ActionString(a), nil
		}
	}
	return "", fmt.Errorf("breakthrough: the referee's games begin with all men in place, and cannot come to %q (--openings 0 plays from there)", p)
}

// read reads the referee's input for one turn.
func read(line func() (string, error), after engine.Position) (engine.Position, error) {
	moved, err := line()
	if err != nil {
		return nil, err
	}
	text, err := line()
	if err != nil {
		return nil, err
	}
	p := after
	if p == nil {
		p = engine.Forget(start)
	}
	if moved != "None" {
		a, err := engine.ParseAction(p, moved)
		if err != nil {
			return nil, err
		}
		p = p.Play(a)
	}
	var names []string
	for _, a := range p.Legal(nil) {
		names = append(names, p.ActionString(a))
	}
	if text != strconv.Itoa(len(names)) {
		return nil, fmt.Errorf("breakthrough: the referee counts %q legal moves in %q, and there are %d", text, p, len(names))
	}
	for range names {
		switch name, err := line(); {
		case err != nil:
			return nil, err
		case !slices.Contains(names, name):
			return nil, fmt.Errorf("breakthrough: %q, which the referee lists, is not legal in %q", name, p)
		}
	}
	return p, nil
}
