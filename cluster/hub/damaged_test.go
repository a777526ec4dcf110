package hub_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"

	"dojo.example/cluster/worker"
)

// If a message with a task is damaged on its way, the worker drops it and asks for another task.
// Without the checksum, the worker would exit, or play the wrong games and be banned as a liar.
func TestDamagedTask(t *testing.T) {
	t.Parallel()
	for old, damaged := range map[string]string{
		`"kind":"shards"`: `"kind":"sharts"`,
		`generation`:      `generatioN`,
		`seed: 5`:         `seed: 4`,
		`"kind":`:         `"kind";`,
	} {
		opt, config, err := newRun(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		dropped := make(chan struct{}, 100)
		hub := resume(t, &opt, config, "")
		join := damage(t, hub.Address(), old, damaged)
		joined := make(chan struct{}, 1)
		worked := make(chan error)
		go func() {
			worked <- worker.Work(t.Context(), worker.Options{Join: join, Name: "w", Workers: 1,
				Log: slog.New(notify{notify{quiet.Handler(), "joined", joined}, "ignored a task that was damaged on its way", dropped})})
		}()
		<-joined
		if err := errors.Join(finish(t, hub, opt), <-worked); err != nil {
			t.Errorf("%s: %v", damaged, err)
		}
		if len(dropped) != 1 {
			t.Errorf("%s: %d tasks were dropped, want 1", damaged, len(dropped))
		}
		compare(t, string(opt.Folder))
	}
}

// damage starts a proxy for a server and returns its address. The proxy changes the first task that
// the server sends: it replaces the first occurrence of old by damaged, which has the same length.
func damage(t *testing.T, server, old, damaged string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var once sync.Once
	forward := func(to io.WriteCloser, from io.Reader, change func([]byte) []byte) {
		defer to.Close()
		block := make([]byte, 1<<16)
		for {
			n, err := from.Read(block)
			if _, failed := to.Write(change(block[:n])); err != nil || failed != nil {
				return
			}
		}
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			conn, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			go forward(conn, client, func(p []byte) []byte { return p })
			go forward(client, conn, func(p []byte) []byte {
				if bytes.Contains(p, []byte(`"kind":"shards"`)) && bytes.Contains(p, []byte(old)) {
					once.Do(func() { p = bytes.Replace(p, []byte(old), []byte(damaged), 1) })
				}
				return p
			})
		}
	}()
	return l.Addr().String()
}
