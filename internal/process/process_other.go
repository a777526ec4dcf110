//go:build !unix

package process

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
)

// Group prepares a program for Kill; here there is nothing to prepare.
func Group(*exec.Cmd) {}

// Kill ends a program and, on Windows, what it has started.
func Kill(p *os.Process) {
	if runtime.GOOS == "windows" {
		_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run() // if it cannot be, the next line ends the program itself
	}
	_ = p.Kill() // an error says that it has ended
}

// sendSelf does nothing: EndBy exits.
func sendSelf(syscall.Signal) {}
