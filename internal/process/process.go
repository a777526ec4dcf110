// Package process starts other programs, and can end them together with all processes that they
// have started.
package process

import (
	"context"
	"os/exec"
	"time"
)

// Command is like exec.CommandContext, for a tool that starts other processes, as compilers do.
// When ctx ends, the tool and these processes are killed immediately.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	Group(cmd)
	cmd.Cancel = func() error {
		Kill(cmd.Process)
		return nil
	}
	// Kill may miss a process, which then keeps the output open. WaitDelay limits how long Wait
	// waits for the end of the output. It must not be much shorter, because it also applies when
	// the program ends by itself, and on a busy machine the last output may arrive late.
	cmd.WaitDelay = 3 * time.Second
	return cmd
}
