package process

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// Crowded calls f. If f fails because this process has too many open files, Crowded retries for
// about ten seconds. This can happen when clients flood a server with connections.
func Crowded(ctx context.Context, f func() error) error {
	for range 100 {
		if err := f(); !errors.Is(err, syscall.EMFILE) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return f()
}
