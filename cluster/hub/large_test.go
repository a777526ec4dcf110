package hub_test

import (
	"context"
	"errors"
	"maps"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/train"

	"github.com/nats-io/nats.go"
)

// newLargeRun creates a run of one generation with two shards (files of self-play games) of 1.1 MiB.
// With one simulation, the policy of each position has all legal actions. A shard is more than a
// NATS server allows in one message, unless its max_payload is raised.
func newLargeRun(t *testing.T) (train.Options, string) {
	t.Helper()
	opt, config, err := newRunOf("othello", t.TempDir(),
		"mcts.simulations=1", "selfplay.games=700", "selfplay.shard_games=350", "selfplay.lanes=64",
		"train.generations=1", "train.passes=0.01", "train.warmup_steps=1", "train.optimiser.batch=32",
		"gate.games=2", "gate.simulations=2", "seed=5")
	if err != nil {
		t.Fatal(err)
	}
	return opt, config
}

// wantLarge returns the files of such a run that was trained without workers.
func wantLarge(t *testing.T) map[string]string {
	t.Helper()
	largeOnce.Do(func() {
		opt, _ := newLargeRun(t)
		if largeErr = loop(t.Context(), opt); largeErr == nil {
			large, largeErr = files(string(opt.Folder))
		}
	})
	if largeErr != nil {
		t.Fatal(largeErr)
	}
	for name, content := range large {
		if strings.HasPrefix(name, "samples/") && len(content) <= 1<<20 {
			t.Fatalf("%s has %d bytes, but the test needs more than 1 MiB", name, len(content))
		}
	}
	return large
}

var (
	largeOnce sync.Once
	large     map[string]string
	largeErr  error
)

// compareLarge compares the files of a run with those of wantLarge.
func compareLarge(t *testing.T, opt train.Options) {
	t.Helper()
	got, err := files(string(opt.Folder))
	if err != nil {
		t.Fatal(err)
	}
	want := wantLarge(t)
	if !maps.Equal(got, want) {
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s differs", name)
			}
		}
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

// waitFor waits until a condition is true.
func waitFor(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	for begun := time.Now(); !isTrue(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

// A worker delivers results of more than 1 MB through a server with default limits.
func TestLargeResults(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	opt, config := newLargeRun(t)
	hub := joinOver(t, s, &opt, config, quiet)
	begin := make(chan struct{})
	waitFirst(&opt, begin)
	worked := make(chan error, 1)
	go func() {
		worked <- worker.Work(t.Context(), worker.Options{Join: s.ClientURL(), Name: "w", Workers: 2, UntilDone: true, Log: quiet, Times: wire.Times{Gone: time.Second}})
	}()
	ended := make(chan error, 1)
	go func() { ended <- finish(t, hub, opt) }()
	waitFor(t, "a result", func() bool { return hub.Accepted() > 0 })
	close(begin)
	if err := errors.Join(<-ended, <-worked); err != nil {
		t.Fatal(err)
	}
	compareLarge(t, opt)
}

// A gate is a connection that blocks after a number of bytes have been written, until it is opened.
type gate struct {
	net.Conn
	left    int
	blocked chan<- struct{}
	open    <-chan struct{}
}

func (g *gate) Write(b []byte) (int, error) {
	if g.left -= len(b); g.left < 0 {
		select {
		case g.blocked <- struct{}{}:
		default:
		}
		<-g.open
	}
	return g.Conn.Write(b)
}

// If the trainer is killed when a part of a result has arrived, the worker joins the next trainer,
// and the files of the run do not change.
func TestTrainerRestartsInResult(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	opt, config := newLargeRun(t)
	killed, kill := context.WithCancel(t.Context())
	hub := joinOver(t, s, &opt, config, quiet)
	begin := make(chan struct{})
	first := opt
	waitFirst(&first, begin)
	blocked, open := make(chan struct{}, 1), make(chan struct{})
	dial := func() (net.Conn, error) {
		c, err := net.Dial("tcp", s.Addr().String())
		return &gate{c, 500_000, blocked, open}, err
	}
	worked := make(chan error, 1)
	go func() {
		worked <- worker.Work(t.Context(), worker.Options{
			Join: s.ClientURL(), Name: "w", Workers: 1, UntilDone: true, Log: quiet,
			Line: []nats.Option{nats.SetCustomDialer(dialer(dial))}, Times: wire.Times{Request: 500 * time.Millisecond, Gone: time.Second}})
	}()
	ended := make(chan error, 1)
	go func() { ended <- loop(killed, first) }()
	<-blocked
	waitFor(t, "a part of a result", func() bool { return hub.Uploaded() > 0 })
	kill()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("the killed trainer ended with %v", err)
	}
	hub.Kill()
	close(open)
	hub = joinOver(t, s, &opt, config, quiet)
	begin = make(chan struct{})
	waitFirst(&opt, begin)
	go func() { ended <- finish(t, hub, opt) }()
	waitFor(t, "a result", func() bool { return hub.Accepted() > 0 })
	close(begin)
	if err := errors.Join(<-ended, <-worked); err != nil {
		t.Fatal(err)
	}
	compareLarge(t, opt)
}
