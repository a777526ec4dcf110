package arena

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"dojo.example/engine"
	"dojo.example/internal/bounded"
)

// external is a player that runs as a separate program, such as the command dojo bot. dojo sends it
// positions, and the program answers with actions. With the text protocol one process plays all
// games; with any other protocol each game gets a new process.
type external struct {
	program
	protocol engine.Protocol

	after engine.Position // the position after the program's last answer; nil before the first one
}

// External returns the player whose name is cmd:[PROTOCOL:]PROGRAM. The parameter name is this name
// without cmd:. PROGRAM is a command line, which splitWords splits into words. c limits the
// program's time; nil means no limit. External returns an error if the program does not exist.
func External(game engine.Game, name string, c *Clock) (player Contestant, err error) {
	if c == nil {
		c = new(Clock)
	}
	protocol, _ := game.Protocol(engine.TextProtocol) // cannot fail: every game has the text protocol
	gtp := false
	if head, tail, ok := strings.Cut(name, ":"); ok {
		named, unknown := game.Protocol(head)
		if gtp = head == engine.GTPName; gtp && game.GTP == nil {
			return player, unknown
		}
		if gtp || unknown == nil {
			protocol, name = named, tail
		}
	}
	command, err := splitWords(name)
	if err == nil && len(command) == 0 {
		err = errors.New("no program is named; write cmd:PROGRAM")
	}
	if err == nil {
		_, err = exec.LookPath(command[0])
	}
	p := program{command: command, clock: c}
	return Contestant{Luck: true, Make: func() Player {
		if gtp {
			return &gtpPlayer{program: p, game: game}
		}
		return &external{program: p, protocol: protocol}
	}}, err
}

// NewGame prepares for a new game. It stops the program if the program's protocol allows only one
// game per process.
func (e *external) NewGame(uint64) {
	e.after = nil
	if e.protocol.Name != engine.TextProtocol {
		e.stop()
	}
}

func (e *external) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	given := time.Duration(e.protocol.FirstTurn) * time.Millisecond
	return e.turn(ctx, p, given, func() (engine.Action, error) { return e.ask(p) })
}

// ask sends the program a question about position p and reads its answer.
func (e *external) ask(p engine.Position) (engine.Action, error) {
	question, err := e.protocol.Ask(p, e.after)
	if err != nil {
		return 0, err
	}
	if err := e.write(question); err != nil {
		return 0, err
	}
	answer, err := e.readLine()
	if err != nil {
		return 0, err
	}
	name, err := e.protocol.ActionIn(answer)
	if err == nil {
		var action engine.Action
		if action, err = engine.ParseAction(p, name); err == nil {
			e.after = p.Play(action)
			return action, nil
		}
	}
	return 0, errors.New(bounded.Clip(err.Error()))
}
