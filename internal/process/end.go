package process

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// deadline is how long EndBy waits for the signal to kill the process.
const deadline = time.Second

// EndBy kills this process with the signal s, which the process has received and handled before. To
// others, it looks as if the process had not handled the signal: a shell sees the status 128+n,
// where n is the number of the signal, and a service manager sees a clean exit. On Windows, and in
// process 1 of a container, which its own signals cannot kill, EndBy exits with status 128+n
// instead.
func EndBy(s syscall.Signal) {
	if os.Getpid() != 1 {
		signal.Reset(s)
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
			time.Sleep(deadline)
		}
	}
	os.Exit(128 + int(s))
}
