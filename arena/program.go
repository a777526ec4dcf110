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

// program is a separate program that plays. It starts at its first turn. The process is bound to the
// context of that turn: it is killed when that context ends.
type program struct {
	command []string
	clock   *Clock

	process *exec.Cmd // nil while the program is not running
	end     func()    // stops the program, at most once, and waits until it has exited
	release func() bool
	in      io.WriteCloser
	pipe    *os.File
	out     *bufio.Reader
}

// A silence is the error of a program that reads or writes nothing more.
type silence struct{ error }

func (s silence) Unwrap() error { return s.error }

// turn calls ask, in which the program chooses an action in position p. It first starts the program
// if the program is not running. The answers to all that ask sends must arrive within the time that
// the clock allows for a turn. given is the time for the first turn if the clock sets none. If ask
// returns an error other than a Forfeit, turn stops the program.
func (e *program) turn(ctx context.Context, p engine.Position, given time.Duration, ask func() (engine.Action, error)) (engine.Action, error) {
	began, first, limit := time.Now(), e.process == nil, e.clock.Turn
	if first && limit > 0 {
		limit = max(limit, cmp.Or(e.clock.First, given))
	}
	action, err := e.within(ctx, limit, began, ask)
	if s := (silence{}); errors.As(err, &s) {
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			err = fmt.Errorf("no answer to %q in %v", p, limit)
		case errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE):
			err = fmt.Errorf("no answer to %q: the program has ended", p)
		default:
			err = fmt.Errorf("no answer to %q: %w", p, s.error)
		}
	} else if !first {
		e.clock.record(time.Since(began))
	}
	if err == nil {
		return action, nil
	}
	resigns := errors.As(err, &Forfeit{})
	err = fmt.Errorf("program %s: %w", e.command[0], err)
	if !resigns {
		e.stop()
	}
	if resigns || e.clock.Turn > 0 && ctx.Err() == nil {
		return 0, Forfeit{Reason: err}
	}
	return 0, err
}

// within starts the program if it is not running, sets the deadline for its answers and calls ask.
func (e *program) within(ctx context.Context, limit time.Duration, began time.Time, ask func() (engine.Action, error)) (engine.Action, error) {
	if e.process == nil {
		if err := e.start(ctx); err != nil {
			return 0, err
		}
	}
	if limit > 0 {
		if err := e.pipe.SetReadDeadline(began.Add(limit)); err != nil {
			return 0, err
		}
	}
	return ask()
}

// write sends text to the program.
func (e *program) write(text string) error {
	if _, err := io.WriteString(e.in, text); err != nil {
		return silence{err}
	}
	return nil
}

// readLine reads the program's next line, with its line end.
func (e *program) readLine() (string, error) {
	line, err := e.out.ReadString('\n')
	if err != nil {
		return "", silence{err}
	}
	return line, nil
}

func (e *program) start(ctx context.Context) error {
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
func (e *program) stop() {
	if e.process != nil {
		e.release()
		e.end()
	}
	e.process = nil
}

// Close stops the program if it is running. See [Release].
func (e *program) Close() error {
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
