package cli

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Many connections without a token do not exhaust the trainer's file descriptors, and training
// continues.
func TestFloodOfConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a process")
	}
	dir, address := t.TempDir(), freeAddress(t)
	args := append([]string{"-c", `ulimit -n 200 && exec "$0" "$@"`, os.Args[0]}, chaosTraining(filepath.Join(dir, "run"), 0)...)
	cmd := exec.CommandContext(t.Context(), "sh", append(args, "--listen", address)...)
	cmd.Env = append(os.Environ(), "DOJO_TEST_ROLE=dojo", "DOJO_TOKEN=secret")
	ended := make(chan error, 1)
	var said []byte
	go func() {
		var err error
		said, err = cmd.CombinedOutput()
		ended <- err
	}()
	const flood = 300
	var open []net.Conn
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the trainer: %v\n%s", err, said)
			}
			for _, c := range open {
				_ = c.Close()
			}
			return
		default:
		}
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err != nil {
			time.Sleep(20 * time.Millisecond) // the trainer is not listening yet
			continue
		}
		if open = append(open, c); len(open) > flood {
			_ = open[0].Close()
			open = open[1:]
			time.Sleep(time.Millisecond)
		}
	}
}
