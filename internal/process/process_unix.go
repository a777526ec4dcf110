//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// Start starts a program in a process group of its own. The function kill ends every process in the
// group.
func Start(cmd *exec.Cmd) (kill func(), err error) {
	Group(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() { Kill(cmd.Process) }, nil
}

// Group prepares a program for Kill: when the program starts, it gets a process group of its own.
func Group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends a program that Group has prepared, and every process that it has started.
func Kill(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // an error means that all processes of the group have already ended
}
