package cli

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// If a signal stops the program, the program prints that and then dies from the same signal, so
// that systemd and shell loops can see the cause.
func TestEndsBySignal(t *testing.T) {
	for name, c := range map[string]struct {
		args  []string
		begun string // text that the program prints when it has started working
	}{
		"train":        {[]string{"train", "tictactoe", "--run", "run", "--workers", "1"}, "run opened"},
		"train --stay": {append([]string{"train", "tictactoe", "--run", "run", "--stay", "--serve=127.0.0.1:0"}, small...), "staying until"},
		"worker":       {[]string{"worker", "--join", "127.0.0.1:1"}, "127.0.0.1:1"},
		"serve":        {[]string{"serve", "--listen", "127.0.0.1:0"}, "serving the pages"},
	} {
		for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
			t.Run(name+" "+s.String(), func(t *testing.T) {
				t.Parallel()
				cmd := exec.Command(os.Args[0], c.args...)
				cmd.Dir = t.TempDir()
				cmd.Env = append(os.Environ(), "DOJO_TEST_ROLE=dojo", "DOJO_TOKEN=a-token-of-a-test")
				stderr, err := cmd.StderrPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				var said strings.Builder
				for lines := bufio.NewScanner(stderr); lines.Scan(); {
					said.WriteString(lines.Text() + "\n")
					if strings.Contains(lines.Text(), c.begun) {
						_ = cmd.Process.Signal(s) // the exit status shows whether the signal arrived
					}
				}
				_ = cmd.Wait() // no error check: ProcessState has the result
				if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != s {
					t.Errorf("it ended with %v after it said:\n%s", cmd.ProcessState, said.String())
				}
			})
		}
	}
}
