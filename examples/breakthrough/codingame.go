package breakthrough

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
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

// CodinGame is what bots for the site are made of.
var CodinGame = codingame.Game{Title: "Breakthrough", Game: Rules.Game(), CPP: botCPP, Go: botGo}

// referee is the protocol of CodinGame's Breakthrough: each turn is what the other player has
// moved, or None, then the number of legal moves and the moves, a line each. So a player must
// remember its own moves.
var referee = engine.Protocol{
	Name:      "codingame",
	FirstTurn: 1000,
	FromStart: true,
	Ask:       ask,
	Reader: func(r *bufio.Reader) func(engine.Position) (engine.Position, error) {
		return func(after engine.Position) (engine.Position, error) { return read(r, after) }
	},
}

// ask writes a turn.
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

// between names the move that leads from the position after the last answer to p.
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

// read reads a turn.
func read(r *bufio.Reader, after engine.Position) (engine.Position, error) {
	moved, err := readLine(r)
	if err != nil {
		return nil, err
	}
	text, err := readLine(r)
	if err != nil {
		return nil, within(err)
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
	n, err := strconv.Atoi(text)
	if legal := len(p.Legal(nil)); err != nil || n != legal {
		return nil, fmt.Errorf("breakthrough: the referee counts %q legal moves in %q, and there are %d", text, p, legal)
	}
	var names []string
	for _, a := range p.Legal(nil) {
		names = append(names, p.ActionString(a))
	}
	for range n {
		switch name, err := readLine(r); {
		case err != nil:
			return nil, within(err)
		case !slices.Contains(names, name):
			return nil, fmt.Errorf("breakthrough: %q, which the referee lists, is not legal in %q", name, p)
		}
	}
	return p, nil
}

func readLine(r *bufio.Reader) (string, error) {
	text, err := r.ReadString('\n')
	if err == io.EOF && text != "" {
		err = nil
	}
	return strings.TrimSpace(text), err
}

// within is the error of an input that ends within a turn.
func within(err error) error {
	if err == io.EOF {
		return fmt.Errorf("breakthrough: the input ends within a turn")
	}
	return err
}
