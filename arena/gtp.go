package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"dojo.example/engine"
	"dojo.example/internal/bounded"
)

// gtpPlayer is a player that is another program and speaks the Go Text Protocol; see [engine.GTP].
// One process plays all games. A program hears only actions, and all its games begin with the same
// position. So the player can play only games in which it hears all actions; see follower.
type gtpPlayer struct {
	program
	game engine.Game

	at      engine.Position // position that the program has when it has received the commands; nil if unknown
	pending []string        // commands that the program has not received
	own     bool            // the next action of the game is the program's answer, so it has played it
}

// NewGame prepares for a new game.
func (e *gtpPlayer) NewGame(uint64) {
	e.pending, e.own = []string{fmt.Sprintf("boardsize %d", e.game.GTP.Size), "clear_board"}, false
	e.at, _ = e.game.FirstPosition(rand.New(rand.NewPCG(1, 1))) // games with this notation have one start
}

// follow prepares the command that tells the program an action.
func (e *gtpPlayer) follow(p engine.Position, a engine.Action) {
	if e.at == nil || e.at != p {
		e.at = nil // Choose reports it
		return
	}
	e.at = p.Play(a)
	if _, forced := e.game.GTP.ForcedPass(p); !forced && !e.own {
		e.pending = append(e.pending, fmt.Sprintf("play %s %s", engine.GTPColour(p.ToMove()), e.game.GTP.VertexOf(p, a)))
	}
	e.own = false
}

func (e *gtpPlayer) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	if e.at != p {
		return 0, fmt.Errorf("program %s: a program that speaks %s can only play whole games, and does not know how to reach %q", e.command[0], engine.GTPName, p)
	}
	if pass, forced := e.game.GTP.ForcedPass(p); forced {
		return pass, nil
	}
	return e.turn(ctx, p, 0, func() (engine.Action, error) { return e.ask(p) })
}

// ask sends the pending commands and asks the program for its action.
func (e *gtpPlayer) ask(p engine.Position) (engine.Action, error) {
	for _, command := range e.pending {
		if _, err := e.send(command); err != nil {
			return 0, err
		}
	}
	e.pending = e.pending[:0]
	vertex, err := e.send("genmove " + engine.GTPColour(p.ToMove()))
	if err != nil {
		return 0, err
	}
	if strings.EqualFold(vertex, "resign") {
		return 0, Forfeit{errors.New("it resigns")}
	}
	a, err := e.game.GTP.ActionAt(p, vertex)
	if err != nil {
		return 0, errors.New(bounded.Clip(err.Error()))
	}
	e.own = true
	return a, nil
}

// mostAnswerLines is the largest number of lines that a program may write as the answer to a
// command.
const mostAnswerLines = 1000

// send sends a command and returns the first line of the program's answer. The answer begins with =,
// or with ? if it is an error, and ends with an empty line.
func (e *gtpPlayer) send(command string) (answer string, err error) {
	if err := e.write(command + "\n"); err != nil {
		return "", err
	}
	line := ""
	for line == "" {
		if line, err = e.readTrimmed(); err != nil {
			return "", err
		}
	}
	answer = strings.TrimSpace(line[1:])
	for n, rest := 0, line; rest != ""; n++ {
		if n == mostAnswerLines {
			return "", fmt.Errorf("the answer to the command %q has more than %d lines", command, mostAnswerLines)
		}
		if rest, err = e.readTrimmed(); err != nil {
			return "", err
		}
	}
	switch line[0] {
	case '=':
		return answer, nil
	case '?':
		return "", fmt.Errorf("it answers the command %q with the error %s", command, bounded.Quote(answer))
	}
	return "", fmt.Errorf("the answer to the command %q begins with neither = nor ?: %s", command, bounded.Quote(line))
}

// readTrimmed reads a line without leading and trailing blanks.
func (e *gtpPlayer) readTrimmed() (string, error) {
	line, err := e.readLine()
	return strings.TrimSpace(line), err
}
