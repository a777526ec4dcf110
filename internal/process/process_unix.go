//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// Group makes a program that is to be started the head of a process group.
func Group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends such a program and all of its group: what it has started.
func Kill(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // an error says that all of it has ended
}
