package cli

import (
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

// A child is a program that can be killed and started again.
type child struct {
	t    *testing.T
	name string
	dir  string // of what it says
	role string // "": dojo
	args []string

	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended
	err   error         // how; to be read when it has ended
}

// start starts it. It is killed when the test ends.
func (p *child) start() {
	p.t.Helper()
	log, err := os.OpenFile(p.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close()
	first := p.cmd == nil
	p.cmd = exec.Command(os.Args[0], p.args...)
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

// kill kills it with SIGKILL and waits until it is gone.
func (p *child) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// restart kills it and starts it again.
func (p *child) restart() {
	p.kill()
	p.start()
}

func (p *child) log() string { return filepath.Join(p.dir, p.name+".log") }

// tail is the end of what it has said.
func (p *child) tail() string {
	text, err := os.ReadFile(p.log())
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text[max(0, len(text)-1500):]))
}

// freeAddress is HOST:PORT on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
