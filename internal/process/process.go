// Package process starts other programs so that they can be ended together with
// what they have started.
package process

import (
	"context"
	"os/exec"
	"time"
)

// Command is exec.CommandContext for a tool that starts others, as compilers do:
// the end of ctx ends all of them at once.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	Group(cmd)
	cmd.Cancel = func() error {
		Kill(cmd.Process)
		return nil
	}
	// Where Kill leaves some, they hold the output open. The delay also counts from the
	// program's own end, and on a busy machine its last words take a while.
	cmd.WaitDelay = 3 * time.Second
	return cmd
}
