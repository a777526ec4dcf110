//go:build unix

package output_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dojo.example/internal/output"
)

// If the output is a device or a pipe, the data are written to it. It is not replaced with a file.
func TestStreams(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	got := make(chan string, 1)
	go func() {
		text, err := os.ReadFile(pipe)
		if err != nil {
			text = []byte(err.Error())
		}
		got <- string(text)
	}()
	for _, name := range []string{pipe, os.DevNull} {
		before, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(name, output.Policy{}); err != nil {
			t.Error(err)
		}
		if after, err := os.Stat(name); err != nil || !os.SameFile(before, after) || after.Mode() != before.Mode() {
			t.Errorf("%s was %v and is %v, %v", name, before.Mode(), after.Mode(), err)
		}
	}
	if text := <-got; text != "new" {
		t.Errorf("through the pipe came %q", text)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		return // other systems have no /dev/full
	}
	if err := write("/dev/full", output.Policy{}); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("a device that is full: %v", err)
	}
}

// Writing to a pipe that nobody reads returns when the context is cancelled.
func TestPipeWithoutReader(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	f, err := output.Open(pipe, output.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.WriteText(ctx, "new"); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), pipe) {
		t.Errorf("the write ends with %v", err)
	}
}
