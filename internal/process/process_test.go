//go:build unix

package process

import (
	"context"
	"testing"
	"time"
)

// TestCommand: a tool ends with its context, though what it has started holds its
// output open.
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
	if n, err := out.Read(make([]byte, 6)); err == nil { // what sleep holds open
		t.Errorf("%d more bytes", n)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("a killed program ends without an error")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it ends after %v", took)
	}
}
