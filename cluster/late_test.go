package cluster_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo.example/cluster"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// lateServer starts a NATS server that takes every request and answers none. It returns its URL,
// with a user and a password.
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

// Where a server does not answer in time, the trainer's error and the worker's say which server
// it is and what it was asked, and not its password.
func TestLateServer(t *testing.T) {
	cluster.ShortenPatience(t, 100*time.Millisecond, 300*time.Millisecond, patience)
	url := lateServer(t)
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	check := func(who string, says string, err error) {
		for _, part := range []string{says, strings.Replace(url, "user:secret@", "", 1), "no answer in time"} {
			if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s ends with %v; want %q in it, and no password", who, err, part)
			}
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s ends with %v, which is no exceeded deadline", who, err)
		}
	}
	both.Go(func() {
		_, err := cluster.NewHub(t.Context(), cluster.HubOptions{Name: opt.Name, Config: config, Dir: t.TempDir(), URL: url, Log: quiet})
		check("the trainer", "to make the stream of tasks", err)
	})
	both.Go(func() {
		err := cluster.Work(t.Context(), cluster.WorkerOptions{Join: url, Name: "w", Workers: 1, Wait: time.Millisecond, Log: quiet})
		check("the worker", "say hello", err)
	})
	both.Wait()
}
