package serve

import (
	"context"
	"fmt"
	"net"
	"time"
)

// lastNews is how long the server keeps running after training in its process has ended, if pages
// are open. Pages ask once a second, so they still learn how the run ended.
const lastNews = 3 * time.Second / 2

// Beside is like Serve, but returns immediately, so that this process can do other work. The server
// runs until the caller calls stop, which waits until the server has ended.
func (s *Server) Beside(ctx context.Context, l net.Listener, ready func(url string)) (stop func() error) {
	serving, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(serving, l, ready) }()
	return func() error {
		if s.lookAgain() < 2*lastNews {
			select {
			case <-ctx.Done():
			case <-time.After(lastNews):
			}
		}
		cancel()
		return <-ended
	}
}

// Listen listens on address. If that fails, it listens on any free port of the loopback address,
// unless only is set.
func Listen(address string, only bool) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil && !only {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	return l, nil
}
