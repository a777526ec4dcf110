package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"dojo/arena"
	"dojo/engine"
)

// external is another program as a player: it reads a position line and
// answers with an action line, as dojo bot does. It is started when it is
// first asked and ends with the context in which it was.
type external struct {
	command []string

	in  io.Writer // nil until it is started
	out *bufio.Reader
}

// newExternal makes the player cmd:PROGRAM.
func newExternal(program string) (arena.Maker, error) {
	command := strings.Fields(program)
	if len(command) == 0 {
		return nil, errors.New("player cmd: names no program")
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return nil, fmt.Errorf("player cmd:%s: %w", program, err)
	}
	return func() arena.Player { return &external{command: command} }, nil
}

func (e *external) NewGame(uint64) {} // each question says all

func (e *external) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	action, err := e.ask(ctx, p)
	if err != nil {
		return 0, fmt.Errorf("program %s: %w", e.command[0], err)
	}
	return action, nil
}

func (e *external) ask(ctx context.Context, p engine.Position) (engine.Action, error) {
	if e.in == nil {
		if err := e.start(ctx); err != nil {
			return 0, err
		}
	}
	if _, err := fmt.Fprintln(e.in, p); err != nil {
		return 0, err
	}
	answer, err := e.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("no answer to %q: %w", p, err)
	}
	return engine.ParseAction(p, strings.TrimSpace(answer))
}

func (e *external) start(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, e.command[0], e.command[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	context.AfterFunc(ctx, func() {
		_ = in.Close() // it is told to end,
		_ = cmd.Wait() // and if it does not, it was killed
	})
	e.in, e.out = in, bufio.NewReader(out)
	return nil
}
