//go:build !unix && !windows

package process

import (
	"os"
	"os/exec"
)

// Start starts a program. The returned function kills it.
func Start(cmd *exec.Cmd) (kill func(), err error) {
	return func() { Kill(cmd.Process) }, cmd.Start()
}

// Group prepares a program for Kill. On this system, that is not necessary.
func Group(*exec.Cmd) {}

// Kill kills a program.
func Kill(p *os.Process) {
	_ = p.Kill() // an error means that the program has already exited
}
