package process

import (
	"os"
	"os/signal"
	"syscall"
)

// EndBy ends this process by a signal that it has received and handled, as programs without a
// handler end: a shell sees the status 128+n, and a service manager a clean end. Process 1 of a container, which
// no signal of its own ends, and Windows get the status 128+n by an exit.
func EndBy(s syscall.Signal) {
	if os.Getpid() != 1 {
		signal.Reset(s)
		sendSelf(s)
	}
	os.Exit(128 + int(s))
}
