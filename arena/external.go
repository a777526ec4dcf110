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
	"unicode"

	"dojo/engine"
	"dojo/internal/bounded"
	"dojo/internal/process"
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
// that is not nil. PROGRAM is a command line as [words] splits it.
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
	if protocol.Answer == nil {
		protocol.Answer = func(line string) (string, error) { return strings.TrimSpace(line), nil }
	}
	command, err := words(program)
	if err == nil && len(command) == 0 {
		err = errors.New("it names no program")
	}
	if err != nil {
		return nil, fmt.Errorf("player cmd:%s: %w", program, err)
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return nil, fmt.Errorf("player cmd:%s: %w", program, err)
	}
	return func() Player { return &external{command: command, protocol: protocol, clock: c} }, nil
}

// words splits a command line at blanks. What stands between ' and ' or
// between " and " stands for itself, blanks included, and nothing else means
// anything: a backslash is part of a path on Windows, and a ; or a > is what a
// program is given. (Libraries for the words of a shell drop the first and end
// the command at the others.)
func words(line string) (list []string, err error) {
	var word strings.Builder
	within, quote := false, rune(0)
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			within, quote = true, c
		case quote == 0 && unicode.IsSpace(c):
			if within {
				list = append(list, word.String())
				word.Reset()
			}
			within = false
		default:
			within = true
			word.WriteRune(c)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	if within {
		list = append(list, word.String())
	}
	return list, nil
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
	name, err := e.protocol.Answer(strings.TrimRight(answer, "\r\n"))
	if err == nil {
		var action engine.Action
		if action, err = engine.ParseAction(p, name); err == nil {
			return action, nil
		}
	}
	return 0, errors.New(bounded.Clip(err.Error()))
}

func (e *external) start(ctx context.Context) error {
	cmd := exec.Command(e.command[0], e.command[1:]...)
	process.Group(cmd)
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
	e.process, e.in, e.pipe, e.out = cmd, in, read, bufio.NewReader(bounded.Lines(read))
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

// end tells a program to end, and kills it and what it has started if it does
// not.
func end(cmd *exec.Cmd, in, out io.Closer) {
	_ = in.Close() // what it was asked last does not matter any more
	late := time.AfterFunc(100*time.Millisecond, func() { process.Kill(cmd.Process) })
	_ = cmd.Wait()
	late.Stop()
	_ = out.Close()
}
