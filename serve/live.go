package serve

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Serve answers requests on the listener until ctx is cancelled. When the server accepts
// connections, Serve calls ready with the address to open in a browser.
func (s *Server) Serve(ctx context.Context, l net.Listener, ready func(url string)) error {
	s.setAddress(l.Addr())
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          silent,
	}
	failed := make(chan error, 1)
	if s.tls != nil {
		l = tls.NewListener(l, s.tls)
	}
	go func() { failed <- server.Serve(l) }() // returns at Shutdown
	ready(s.url())
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(soon) != nil {
		_ = server.Close() // disconnects slow clients
	}
	return nil
}

// setAddress sets the address on which the server listens. If other machines can reach it and the
// user named no token, setAddress also creates a token.
func (s *Server) setAddress(addr net.Addr) {
	s.address = addr.String()
	tcp, ok := addr.(*net.TCPAddr)
	s.open = !ok || !tcp.IP.IsLoopback()
	if s.open && !s.secret {
		s.token = rand.Text()
	}
}

// url returns the address to open in a browser. If the server listens on all addresses of the
// machine, url returns the loopback address. The address contains only a token that the server
// created.
func (s *Server) url() string {
	host, port, _ := net.SplitHostPort(s.address)
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	url := "http://"
	if s.tls != nil {
		url = "https://"
	}
	url += net.JoinHostPort(host, port) + s.base + "/"
	if s.token != "" && !s.secret {
		url += "#token=" + s.token
	}
	return url
}

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
