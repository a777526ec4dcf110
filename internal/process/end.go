package process

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// deadline is how long EndBy waits for the signal to kill the process.
const deadline = time.Second

// EndBy ends this process as if it had not handled the signal s. The caller has handled the signal
// before. A shell then sees the exit status 128+n, where n is the number of the signal, and a
// service manager sees a clean exit. On Windows, and in process 1 of a container, which its own
// signals cannot kill, EndBy exits with status 128+n instead.
func EndBy(s syscall.Signal) {
	if os.Getpid() != 1 {
		signal.Reset(s)
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
			time.Sleep(deadline)
		}
	}
	os.Exit(128 + int(s))
}
