package arena

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"dojo/engine"
)

// Clock is how long external programs may take for an answer. A program that
// exceeds it, gives no legal answer or ends loses the game. Without a Turn any
// of these ends the match.
type Clock struct {
	Turn  time.Duration // 0: no clock
	First time.Duration // for the first turn, which includes starting the program; 0: as Turn

	mu      sync.Mutex
	slowest time.Duration // guarded by mu
}

// Slowest is the longest that any program took for a turn other than its first.
func (c *Clock) Slowest() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.slowest
}

// took counts an answer.
func (c *Clock) took(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slowest = max(c.slowest, d)
}

// external is another program as a player: it reads positions and answers
// with actions, as dojo bot does. It is started when it is first asked, again
// for every game where the protocol has a beginning, and ends with the context
// in which it was started.
type external struct {
	command  []string
	protocol engine.Protocol
	clock    *Clock

	process *exec.Cmd // nil while it does not run
	release func() bool
	in      io.WriteCloser
	pipe    *os.File
	out     *bufio.Reader
}

// textProtocol is a position a line.
const textProtocol = "text"

// External is the player cmd:[PROTOCOL:]PROGRAM of a game, held to a clock if
// that is not nil.
func External(game engine.Game, program string, c *Clock) (Maker, error) {
	if c == nil {
		c = new(Clock)
	}
	protocol := engine.Protocol{Name: textProtocol, Ask: func(p engine.Position, _ bool) string { return p.String() + "\n" }}
	if head, tail, ok := strings.Cut(program, ":"); ok {
		for _, p := range game.Protocols {
			if p.Name == head {
				protocol, program = p, tail
			}
		}
	}
	command := strings.Fields(program)
	if len(command) == 0 {
		return nil, errors.New("player cmd: names no program")
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return nil, fmt.Errorf("player cmd:%s: %w", program, err)
	}
	return func() Player { return &external{command: command, protocol: protocol, clock: c} }, nil
}

// NewGame ends a program that knows only one game.
func (e *external) NewGame(uint64) {
	if e.protocol.Name != textProtocol {
		e.stop()
	}
}

func (e *external) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	action, err := e.ask(ctx, p)
	if err == nil {
		return action, nil
	}
	e.stop()
	err = fmt.Errorf("program %s: %w", e.command[0], err)
	if e.clock.Turn > 0 && ctx.Err() == nil {
		return 0, Forfeit{Reason: err}
	}
	return 0, err
}

func (e *external) ask(ctx context.Context, p engine.Position) (engine.Action, error) {
	began, first, limit := time.Now(), e.process == nil, e.clock.Turn
	if first {
		limit = max(limit, e.clock.First)
		if err := e.start(ctx); err != nil {
			return 0, err
		}
	}
	if limit > 0 {
		if err := e.pipe.SetReadDeadline(began.Add(limit)); err != nil {
			return 0, err
		}
	}
	if _, err := io.WriteString(e.in, e.protocol.Ask(p, first)); err != nil {
		return 0, err
	}
	answer, err := e.out.ReadString('\n')
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, fmt.Errorf("no answer to %q in %v", p, limit)
	}
	if err != nil {
		return 0, fmt.Errorf("no answer to %q: %w", p, err)
	}
	if !first {
		e.clock.took(time.Since(began))
	}
	return engine.ParseAction(p, strings.TrimSpace(answer))
}

func (e *external) start(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, e.command[0], e.command[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdout = write
	err = cmd.Start()
	_ = write.Close() // the program has its own
	if err != nil {
		_ = read.Close()
		return err
	}
	e.process, e.in, e.pipe, e.out = cmd, in, read, bufio.NewReader(read)
	e.release = context.AfterFunc(ctx, func() { end(cmd, in, read) })
	return nil
}

// stop ends the program, if it runs.
func (e *external) stop() {
	if e.process != nil && e.release() {
		end(e.process, e.in, e.pipe)
	}
	e.process = nil
}

// end tells a program to end, and kills it if it does not.
func end(cmd *exec.Cmd, in, out io.Closer) {
	_ = in.Close() // what it was asked last does not matter any more
	kill := time.AfterFunc(100*time.Millisecond, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	kill.Stop()
	_ = out.Close()
}
