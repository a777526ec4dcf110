//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"
)

// When a Command's context is cancelled, the tool is killed together with the processes that it has
// started, which would otherwise keep its output open.
func TestCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cmd := Command(ctx, "sh", "-c", "sleep 20 & echo begun; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	cancel()
	began := time.Now()
	if n, err := out.Read(make([]byte, 6)); err == nil { // a running sleep would keep the output open
		t.Errorf("%d more bytes", n)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("a killed program ends without an error")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it ends after %v", took)
	}
}

// Crowded retries a call only if it failed because too many files were open.
func TestCrowded(t *testing.T) {
	calls := 0
	fails := func(err error) func() error {
		return func() error {
			if calls++; calls < 3 {
				return fmt.Errorf("open: %w", err)
			}
			return nil
		}
	}
	if err := Crowded(t.Context(), fails(syscall.EMFILE)); err != nil || calls != 3 {
		t.Errorf("%d calls, %v; want 3", calls, err)
	}
	calls = 0
	if err := Crowded(t.Context(), fails(syscall.ENOENT)); !errors.Is(err, syscall.ENOENT) || calls != 1 {
		t.Errorf("%d calls, %v; want 1 and its error", calls, err)
	}
}
