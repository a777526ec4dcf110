package process

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// deadline is how long a process waits for the effect of a signal that it sends itself.
const deadline = time.Second

// EndBy ends this process by a signal that it has received and handled, as if it had no handler: a
// shell sees the status 128+n, and a service manager sees a clean end. On Windows, and for process
// 1 of a container, which its own signals do not end, EndBy exits with status 128+n instead.
func EndBy(s syscall.Signal) {
	if os.Getpid() != 1 {
		signal.Reset(s)
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
			time.Sleep(deadline)
		}
	}
	os.Exit(128 + int(s))
}
