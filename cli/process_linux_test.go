package cli

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func init() {
	roles["nats"] = func() {
		if err := serveNATS(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitFailed)
		}
	}
}

// A child is a program that a test can start, kill and restart.
type child struct {
	t    *testing.T
	name string
	dir  string // folder for the program's output
	role string // "": dojo
	path string // another program to start; "": the one with the role
	args []string

	cmd   *exec.Cmd
	ended chan struct{} // closed when the program has exited
	err   error         // the program's exit error; valid after ended is closed
}

// start starts the program. It is killed when the test ends.
func (p *child) start() {
	p.t.Helper()
	log, err := os.OpenFile(p.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close()
	first := p.cmd == nil
	p.cmd = exec.Command(cmp.Or(p.path, os.Args[0]), p.args...)
	role := p.role
	if role == "" {
		role = "dojo"
	}
	p.cmd.Env = append(os.Environ(), "DOJO_TEST_ROLE="+role)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.ended = make(chan struct{})
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	if first {
		p.t.Cleanup(p.kill)
	}
}

// kill kills the program with SIGKILL and waits until it has exited.
func (p *child) kill() {
	_ = p.cmd.Process.Kill() // fails harmlessly if the program has ended
	<-p.ended
}

// restart kills the program and starts it again.
func (p *child) restart() {
	p.kill()
	p.start()
}

func (p *child) log() string { return filepath.Join(p.dir, p.name+".log") }

// tail returns the end of the program's output.
func (p *child) tail() string {
	text, err := os.ReadFile(p.log())
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-1500):]))
}

// freeAddress returns a HOST:PORT that is not in use.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
