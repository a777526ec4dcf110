//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// Group prepares a program for Kill: it will start in a process group of its own.
func Group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends a program that Group has prepared, and everything that it has started.
func Kill(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // an error says that all of it has ended
}
