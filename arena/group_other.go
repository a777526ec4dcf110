//go:build !unix

package arena

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
)

// group prepares a program for kill; here there is nothing to prepare.
func group(*exec.Cmd) {}

// kill ends a program and, on Windows, what it has started.
func kill(p *os.Process) {
	if runtime.GOOS == "windows" {
		_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run() // if it cannot be, the next line ends the program itself
	}
	_ = p.Kill() // an error says that it has ended
}
