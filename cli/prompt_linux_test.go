package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"dojo.example/internal/console"

	"golang.org/x/sys/unix"
)

// terminalPair returns the two ends of a pseudo-terminal of the given width: one for the user, who
// types and reads, and one for the program.
func terminalPair(t *testing.T, width int) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { user.Close() })
	n, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { program.Close() })
	if err := unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(width)}); err != nil {
		t.Fatal(err)
	}
	return user, program
}

// screen collects the output of a terminal.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// all returns the output that wait has not consumed yet.
func (s *screen) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits until the terminal has shown the text, and consumes the output up to and including it.
func (s *screen) wait(t *testing.T, text string) {
	t.Helper()
	for range 6000 {
		s.mu.Lock()
		_, rest, ok := strings.Cut(s.text.String(), text)
		if ok {
			s.text.Reset()
			s.text.WriteString(rest)
		}
		s.mu.Unlock()
		if ok {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the terminal does not show %q, but %q", text, s.text.String())
}

// TestPromptOnATerminal types at a terminal. It checks that Tab completes a word, the arrow key
// recalls an earlier line, the screen shows that the bot is thinking, and Ctrl-D quits.
func TestPromptOnATerminal(t *testing.T) {
	user, program := terminalPair(t, 80)
	var s screen
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := user.Read(buffer)
			if err != nil {
				return // the test has closed the terminal
			}
			_, _ = s.Write(buffer[:n]) // writing to a buffer cannot fail
		}
	}()
	ended := make(chan int)
	go func() {
		ended <- execute(t.Context(), []string{"play", "tictactoe", "--second", "alphabeta:9"}, program, program, program)
	}()
	press := func(keys string) {
		t.Helper()
		if _, err := user.WriteString(keys); err != nil {
			t.Fatal(err)
		}
	}
	s.wait(t, "first> ")
	press("b2\r")
	s.wait(t, "second (alphabeta:9) is thinking…")
	s.wait(t, "second (alphabeta:9) plays")
	s.wait(t, "first> ")
	press("un\t\r")
	s.wait(t, "undo")
	s.wait(t, "2 ...")
	s.wait(t, "first> ")
	press("\x1b[A\x1b[A\r") // b2 again
	s.wait(t, "2 .x.")
	s.wait(t, "first> ")
	press("\x04")
	select {
	case status := <-ended:
		if status != exitDone {
			t.Errorf("status %d", status)
		}
	case <-time.After(time.Minute):
		t.Error("Ctrl-D does not end the game")
	}
}

// Whichever signal ends a game, the terminal is restored to its previous mode. An endless escape
// sequence neither delays Ctrl-C nor keeps the processor busy.
func TestTerminalIsGivenBack(t *testing.T) {
	for name, end := range map[string]func(p *os.Process, user *os.File) error{
		"SIGHUP":  func(p *os.Process, _ *os.File) error { return p.Signal(syscall.SIGHUP) },
		"SIGTERM": func(p *os.Process, _ *os.File) error { return p.Signal(syscall.SIGTERM) },
		"SIGINT":  func(p *os.Process, _ *os.File) error { return p.Signal(syscall.SIGINT) },
		"SIGQUIT": func(p *os.Process, _ *os.File) error { return p.Signal(syscall.SIGQUIT) },
		"a long sequence and Ctrl-C": func(_ *os.Process, user *os.File) error {
			_, err := user.WriteString("\x1b[" + strings.Repeat("1", 1000) + "\x03")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			user, program := terminalPair(t, 80)
			modes := func() unix.Termios {
				m, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
				if err != nil {
					t.Fatal(err)
				}
				return *m
			}
			before := modes()
			var s screen
			go func() { _, _ = io.Copy(&s, user) }() // runs until the terminal is closed
			cmd := exec.Command(os.Args[0], "play", "tictactoe")
			cmd.Env = append(os.Environ(), "DOJO_TEST_ROLE=dojo")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			s.wait(t, "first> ")
			if modes() == before {
				t.Error("the terminal is not raw while a line is asked for, and the test tests nothing")
			}
			if err := end(cmd.Process, user); err != nil {
				t.Fatal(err)
			}
			select {
			case <-ended:
			case <-time.After(time.Minute):
				_ = cmd.Process.Kill() // fails harmlessly if the program has just exited
				t.Fatal("the game does not end")
			}
			if after := modes(); after != before {
				t.Errorf("the terminal had the modes %+v and has %+v; it shows %q", before, after, s.all())
			}
		})
	}
}

// TestBarFits checks that a progress bar stays on one line in a narrow terminal.
func TestBarFits(t *testing.T) {
	for _, width := range []int{45, 60, 80, 132} {
		user, program := terminalPair(t, width)
		var shown screen
		read := make(chan struct{})
		go func() {
			defer close(read)
			_, _ = io.Copy(&shown, user) // ends when the test closes the program's end of the terminal
		}()
		b := console.NewBar(program, 5000, "3/40 self-play, 1h05m left")
		for _, done := range []int{1, 2500, 4999} {
			want := fmt.Sprintf("%d/5000", done)
			for range 3000 { // retry, because the bar is drawn at most ten times per second
				if b.Set(done, "+12 −3 =1"); strings.Contains(shown.all(), want) {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			if !strings.Contains(shown.all(), want) {
				t.Fatalf("%d columns show %q", width, shown.all())
			}
		}
		program.Close()
		<-read
		for line := range strings.SplitSeq(shown.all(), "\r") {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("on %d columns the bar has %d: %q", width, n, line)
			}
		}
		if both := strings.Contains(shown.all(), "+12"); both != (width >= 80) {
			t.Errorf("on %d columns the remark is shown: %v", width, both)
		}
	}
}

// If a bot is started at a terminal, it tells the user what input it expects.
func TestBotAtATerminal(t *testing.T) {
	user, program := terminalPair(t, 80)
	if _, err := fmt.Fprint(user, "\x04"); err != nil { // Ctrl-D
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	status := execute(t.Context(), []string{"bot", checkpoint(t, "tictactoe")}, program, &stdout, &stderr)
	if status != exitDone || stdout.Len() > 0 || !strings.Contains(stderr.String(), "waiting for positions of tictactoe") {
		t.Errorf("status %d, stdout %q, stderr %q, want a word on what it waits for", status, stdout.String(), stderr.String())
	}
}
