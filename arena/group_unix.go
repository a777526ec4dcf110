//go:build unix

package arena

import (
	"os"
	"os/exec"
	"syscall"
)

// group makes a program that is to be started the head of a process group.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends such a program and all of its group: what it has started.
func kill(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // an error says that all of it has ended
}
