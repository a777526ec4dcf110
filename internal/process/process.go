// Package process starts other programs in such a way that it can end them together with the
// processes that they have started.
package process

import (
	"context"
	"os/exec"
	"time"
)

// Command is exec.CommandContext for a tool that starts other processes, as compilers do. When ctx
// ends, all of them are killed immediately.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	Group(cmd)
	cmd.Cancel = func() error {
		Kill(cmd.Process)
		return nil
	}
	// Processes that Kill does not reach keep the output open. The delay also starts when the
	// program ends by itself, and on a busy machine its last output takes a while.
	cmd.WaitDelay = 3 * time.Second
	return cmd
}
