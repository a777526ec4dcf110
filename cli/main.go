// Package cli is the command line: flags in, one call, words out. Each verb is a file; app tells
// what they have in common.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Main runs the command line that the process was started with, and ends the process.
func Main() {
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
