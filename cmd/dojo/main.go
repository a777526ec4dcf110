// Command dojo learns board games from nothing and plays them: self-play,
// training and gate matches in one process, and the tools around them. Each
// verb is a file of this package; run tells what they have in common.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), ends()...)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	os.Exit(execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// ends are the signals that end the program well: an interrupt, a request to end, and the end of
// the terminal, unless that is ignored, as under nohup.
func ends() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
