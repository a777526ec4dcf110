package process

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// deadline is how long EndBy waits for its own signal to end the process.
const deadline = time.Second

// EndBy ends this process with a signal that the process has received and handled. The process ends
// as if it had not handled the signal: a shell sees the status 128+n, where n is the number of the
// signal, and a service manager sees a clean end. EndBy exits with status 128+n instead on Windows,
// and in process 1 of a container, which its own signals do not end.
func EndBy(s syscall.Signal) {
	if os.Getpid() != 1 {
		signal.Reset(s)
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
			time.Sleep(deadline)
		}
	}
	os.Exit(128 + int(s))
}
