package process

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// deadline is how long a process waits for the effect of its own signal.
const deadline = time.Second

// EndBy ends this process by a signal that it has received and handled, as programs without a
// handler end: a shell sees the status 128+n, and a service manager a clean end. Process 1 of a container, which
// no signal of its own ends, and Windows get the status 128+n by an exit.
func EndBy(s syscall.Signal) {
	if os.Getpid() != 1 {
		signal.Reset(s)
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
			time.Sleep(deadline)
		}
	}
	os.Exit(128 + int(s))
}
