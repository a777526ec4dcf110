package process

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// Crowded calls f again, a little later and for some ten seconds, while it fails because this
// process has too many files open: a server in it may be flooded with connections.
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
