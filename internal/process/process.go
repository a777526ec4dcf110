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
	cmd.WaitDelay = 50 * time.Millisecond // where Kill leaves some, which hold the output open
	return cmd
}
