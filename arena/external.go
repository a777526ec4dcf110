package arena

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"dojo.example/engine"
	"dojo.example/internal/bounded"
	"dojo.example/internal/process"
)

// Clock limits the time that external programs may take for an answer. A program loses the game if
// it exceeds the limit, gives an illegal answer or exits. If Turn is 0, there is no limit, and an
// illegal answer or an exit ends the match with an error.
type Clock struct {
	Turn time.Duration // time limit for each turn; 0 means no limit
	// First is the time limit for the program's first turn, which includes the start of the
	// program. It is at least Turn. If First is 0, the protocol's FirstTurn is used.
	First time.Duration

	mu      sync.Mutex
	slowest time.Duration // guarded by mu
}

// Slowest returns the longest time that any program took to answer. The first answer of each
// process does not count.
func (c *Clock) Slowest() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.slowest
}

// record updates slowest with the time that a program took to answer.
func (c *Clock) record(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slowest = max(c.slowest, d)
}

// external is a player that runs as a separate program, such as the command dojo bot. dojo sends it
// positions, and the program answers with actions. The program starts at its first turn. With the
// text protocol one process plays all games; with any other protocol each game gets a new process.
// The process is bound to the context of its first turn: it is killed when that context ends.
type external struct {
	command  []string
	protocol engine.Protocol
	clock    *Clock

	process *exec.Cmd // nil while the program is not running
	end     func()    // stops the program, at most once, and waits until it has exited
	release func() bool
	in      io.WriteCloser
	pipe    *os.File
	out     *bufio.Reader

	after engine.Position // the position after the program's last answer; nil before the first one
}

// External returns the player whose name is cmd:[PROTOCOL:]PROGRAM. The parameter program is this
// name without cmd:. PROGRAM is a command line, which splitWords splits into words. c limits the
// program's time; nil means no limit. External returns an error if the program does not exist.
func External(game engine.Game, program string, c *Clock) (player Contestant, err error) {
	if c == nil {
		c = new(Clock)
	}
	protocol, _ := game.Protocol(engine.TextProtocol) // cannot fail: every game has the text protocol
	if head, tail, ok := strings.Cut(program, ":"); ok {
		if named, err := game.Protocol(head); err == nil {
			protocol, program = named, tail
		}
	}
	command, err := splitWords(program)
	if err == nil && len(command) == 0 {
		err = errors.New("no program is named; write cmd:PROGRAM")
	}
	if err == nil {
		_, err = exec.LookPath(command[0])
	}
	return Contestant{Luck: true, Make: func() Player { return &external{command: command, protocol: protocol, clock: c} }}, err
}

// splitWords splits a command line at blanks. Text between two single or two double quotes is taken
// literally, including blanks. No other character is special: on Windows a backslash is part of a
// path, and a semicolon or > is passed to the program. (Libraries that split like a shell drop
// backslashes and stop at a semicolon or >.)
func splitWords(line string) ([]string, error) {
	rest := quotedText.ReplaceAllString(line, "")
	if i := strings.IndexAny(rest, `'"`); i >= 0 {
		return nil, fmt.Errorf("the quote %c is not closed", rest[i])
	}
	words := word.FindAllString(line, -1)
	for i, w := range words {
		words[i] = quotedText.ReplaceAllString(w, "$1$2")
	}
	return words, nil
}

var (
	quotedText = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)
	word       = regexp.MustCompile(`(?:[^\s\pZ'"]|'[^']*'|"[^"]*")+`)
)

// NewGame prepares for a new game. It stops the program if the program's protocol allows only one
// game per process.
func (e *external) NewGame(uint64) {
	e.after = nil
	if e.protocol.Name != engine.TextProtocol {
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
		if limit > 0 {
			given := time.Duration(e.protocol.FirstTurn) * time.Millisecond
			limit = max(limit, cmp.Or(e.clock.First, given))
		}
		if err := e.start(ctx); err != nil {
			return 0, err
		}
	}
	if limit > 0 {
		if err := e.pipe.SetReadDeadline(began.Add(limit)); err != nil {
			return 0, err
		}
	}
	question, err := e.protocol.Ask(p, e.after)
	if err != nil {
		return 0, err
	}
	if _, err := io.WriteString(e.in, question); err != nil {
		return 0, noAnswer(p, err)
	}
	answer, err := e.out.ReadString('\n')
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, fmt.Errorf("no answer to %q in %v", p, limit)
	}
	if err != nil {
		return 0, noAnswer(p, err)
	}
	if !first {
		e.clock.record(time.Since(began))
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

// noAnswer returns an error that explains why a program sent no answer for position p.
func noAnswer(p engine.Position, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
		err = errors.New("the program has ended")
	}
	return fmt.Errorf("no answer to %q: %w", p, err)
}

func (e *external) start(ctx context.Context) error {
	cmd := exec.Command(e.command[0], e.command[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	kill, err := process.Start(cmd)
	if err != nil {
		return err
	}
	e.process, e.in, e.pipe, e.out = cmd, in, out.(*os.File), bufio.NewReader(bounded.Lines(out))
	e.end = sync.OnceFunc(func() { endProgram(cmd, in, kill) })
	e.release = context.AfterFunc(ctx, e.end)
	return nil
}

// stop stops the program if it is running, and returns when it has exited.
func (e *external) stop() {
	if e.process != nil {
		e.release()
		e.end()
	}
	e.process = nil
}

// Close stops the program if it is running. See [Release].
func (e *external) Close() error {
	e.stop()
	return nil
}

// endProgram closes a program's input, which tells it to exit. It kills a program that has not
// exited after 100 ms. In any case it kills the processes that the program has started.
func endProgram(cmd *exec.Cmd, in io.Closer, kill func()) {
	_ = in.Close() // ignore an error: it only means that the program has not read the last position
	late := time.AfterFunc(100*time.Millisecond, kill)
	_ = cmd.Wait() // Wait also closes the program's output
	late.Stop()
	kill() // kills any processes that the program left behind
}
