package hub_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// lateServer starts a NATS server and a client on it that receives every request but never answers.
// It returns the URL of the server, with a user and a password.
func lateServer(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	c, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if _, err := c.Subscribe(">", func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	if err := c.FlushTimeout(time.Minute); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(s.ClientURL(), "://", "://user:secret@", 1)
}

// If a server does not answer in time, the worker's error names the server and the request, but not
// the password.
func TestLateServer(t *testing.T) {
	t.Parallel()
	url := lateServer(t)
	err := worker.Work(t.Context(), worker.Options{Join: url, Name: "w", Workers: 1, Wait: time.Millisecond, Log: quiet, Times: wire.Times{Request: 100 * time.Millisecond}})
	for _, part := range []string{"say hello", strings.Replace(url, "user:secret@", "", 1), "no answer in time"} {
		if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "secret") {
			t.Errorf("the worker ends with %v; want %q in it, and no password", err, part)
		}
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the worker ends with %v, which is no exceeded deadline", err)
	}
}
