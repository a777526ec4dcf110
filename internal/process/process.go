// Package process starts other programs, and can kill them together with all processes that they
// have started.
package process

import (
	"context"
	"os/exec"
	"time"
)

// Command is like exec.CommandContext, for tools such as compilers that start other processes. When
// ctx is cancelled, the tool and these processes are killed immediately.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	Group(cmd)
	cmd.Cancel = func() error {
		Kill(cmd.Process)
		return nil
	}
	// Kill may miss a process, which then keeps the output open, so limit how long Wait waits for
	// the end of the output. The limit must not be much shorter, because it also applies when the
	// program exits normally, and on a busy machine the last output may arrive late.
	cmd.WaitDelay = 3 * time.Second
	return cmd
}
