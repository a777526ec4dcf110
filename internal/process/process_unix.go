//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// Start starts a program in its own process group. The returned function kills every process in the
// group.
func Start(cmd *exec.Cmd) (kill func(), err error) {
	Group(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() { Kill(cmd.Process) }, nil
}

// Group prepares a program for Kill: when the program starts, it gets its own process group.
func Group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill kills a program that Group has prepared, and every process that the program has started.
func Kill(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // an error means that all processes of the group have already exited
}
