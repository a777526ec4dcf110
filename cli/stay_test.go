package cli

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A service is a command line that runs until it is stopped, with a log in JSON.
type service struct {
	t      *testing.T
	stop   context.CancelFunc
	ended  chan struct{} // closed when the command has ended
	status int           // exit status; valid after ended is closed

	mu  sync.Mutex
	log bytes.Buffer // guarded by mu
}

// startService runs a command line. It is stopped when the test ends.
func startService(t *testing.T, args ...string) *service {
	ctx, stop := context.WithCancel(t.Context())
	s := &service{t: t, stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		s.status = execute(ctx, append(args, "--log-format", "json"), strings.NewReader(""), io.Discard, s)
	}()
	t.Cleanup(func() {
		stop()
		<-s.ended
	})
	return s
}

func (s *service) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

func (s *service) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// await waits for a record whose message begins with the given words, and returns it.
func (s *service) await(message string) map[string]any {
	s.t.Helper()
	for {
		over := false
		select {
		case <-s.ended:
			over = true
		case <-time.After(10 * time.Millisecond):
		}
		for _, r := range records(s.t, s.said()) {
			if text, _ := r["msg"].(string); strings.HasPrefix(text, message) {
				return r
			}
		}
		if over {
			s.t.Fatalf("it ended with status %d before it said %q:\n%s", s.status, message, s.said())
		}
	}
}

// attribute returns the value of a text attribute of a record.
func attribute(r map[string]any, key string) string {
	value, _ := r[key].(string)
	return value
}

// checkPages checks that the pages of a service show a complete run.
func (s *service) checkPages() {
	s.t.Helper()
	r, err := http.Get(attribute(s.await("serving the pages"), "address") + "api/runs")
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	if page, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(page), `"name":"complete"`) {
		s.t.Errorf("the pages say %.1000s, %v; want that the run is complete", page, err)
	}
}

// With --stay, a trainer whose run is complete lets its workers go, unlocks the run and serves its
// pages until it is stopped. Started again on the complete run, it serves the pages again but does
// not listen for workers, so a worker that is restarted waits instead of ending again and again.
func TestStay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	flags := []string{"--run", dir, "--stay", "--serve=127.0.0.1:0", "--listen", "127.0.0.1:0"}
	trainer := startService(t, append(append([]string{"train", "tictactoe"}, small...), flags...)...)
	join := strings.Fields(attribute(trainer.await("workers can join"), "command"))
	address := join[len(join)-1]
	trainer.await("staying until")
	trainer.checkPages()
	if c, err := net.Dial("tcp", address); err == nil {
		_ = c.Close()
		t.Error("a trainer whose run is complete still listens for workers")
	}
	done(t, "", "train", "--run", dir) // the run is not locked
	trainer.stop()
	if <-trainer.ended; trainer.status != exitDone {
		t.Errorf("stopped, it ends with status %d:\n%s", trainer.status, trainer.said())
	}

	flags[len(flags)-1] = address
	again := startService(t, append([]string{"train"}, flags...)...)
	again.await("staying until")
	again.checkPages()
	worker := startService(t, "worker", "--join", address, "--workers", "1")
	worker.await("cannot reach the trainer")
	if said := again.said(); strings.Contains(said, "workers can join") || strings.Contains(said, "generation committed") {
		t.Errorf("with a complete run, the trainer listens or trains:\n%s", said)
	}
	again.stop()
	if <-again.ended; again.status != exitDone {
		t.Errorf("stopped, it ends with status %d:\n%s", again.status, again.said())
	}
	select {
	case <-worker.ended:
		t.Errorf("the worker ended with status %d:\n%s", worker.status, worker.said())
	default:
	}

	done(t, "", append([]string{"train", "--for", "100ms"}, flags...)...)
	if r := dojo(t, "", append([]string{"train", "--generations", "3", "--for", "1h"}, flags[:2]...)...); r.status != exitDone || !strings.Contains(r.stderr, "done=3 of=3") {
		t.Errorf("one more generation: %+v", r)
	}
}
