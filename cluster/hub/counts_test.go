package hub_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/rundir"

	"github.com/nats-io/nats.go"
)

// The hub writes down how many tasks are free and held, and how many results it has accepted and
// refused.
func TestTally(t *testing.T) {
	t.Parallel()
	opt, hub := start(t, "")
	line := connect(t, hub, strangers, "")
	entry := ask(t, line, stranger)
	proof, err := worker.Proof(t.Context(), entry.Config)
	if err != nil {
		t.Fatal(err)
	}
	if entry = hello(t, line, proof); !entry.Admitted {
		t.Fatalf("with the right proof: %+v", entry)
	}
	begin, ended := make(chan struct{}), make(chan error, 1)
	waitFirst(&opt, begin)
	go func() { ended <- finish(t, hub, opt) }()
	for given := false; !given; { // until the games have begun
		if _, given, err = AskForTask(line, entry.Run, stranger, ""); err != nil {
			t.Fatal(err)
		}
	}
	msg := &nats.Msg{Subject: ResultSubject(entry.Run, stranger), Header: nats.Header{wire.ResultHeader: {"{"}}, Data: []byte("garbage")}
	if err := line.PublishMsg(msg); err != nil {
		t.Fatal(err)
	}
	written := func(what string, ok func(rundir.Workers) bool) {
		t.Helper()
		var all rundir.Workers
		for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(20 * time.Millisecond) {
			if all, err = opt.Folder.Workers(); err != nil {
				t.Fatal(err)
			}
			if ok(all) {
				return
			}
		}
		t.Errorf("%s: %+v is written down", what, all)
	}
	shards := opt.Selfplay.Games / opt.Selfplay.ShardGames
	written("two tasks or more are held", func(w rundir.Workers) bool {
		return w.Held >= 2 && w.Free == shards-w.Held && w.Accepted == 0 && w.Refused == 1
	})
	close(begin)
	ends := startWorkers(t, hub, 1)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	sent := sum(ends())
	written("the run is complete", func(w rundir.Workers) bool {
		return w.Over && w.Free == 0 && w.Held == 0 && w.Refused == 1 && w.Accepted <= sent
	})
	compare(t, string(opt.Folder))
}

// A monitor says what its worker does: it is busy while it plays, and says whom it waits for.
func TestMonitor(t *testing.T) {
	t.Parallel()
	opt, hub := start(t, "")
	address := hub.Address()
	var monitor worker.Monitor
	var idle atomic.Bool
	ended := make(chan error, 1)
	go func() {
		ended <- worker.Work(t.Context(), worker.Options{
			Join: address, Name: "watched", Workers: 1, Log: quiet, Monitor: &monitor,
			Progress: func(s worker.Status) {
				if a := monitor.Now(); !a.Busy || a.Serves != opt.Name || a.Waits != "" || a.Status != s {
					idle.Store(true)
				}
			},
		})
	}()
	for monitor.Now().Serves == "" {
		select {
		case err := <-ended:
			t.Fatalf("the worker ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	before := monitor.Now()
	if later := monitor.Now(); before.Busy || later.Idle <= before.Idle {
		t.Errorf("a worker without a task: %+v, then %+v", before, later)
	}
	if err := finish(t, hub, opt); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if idle.Load() {
		t.Error("while the worker played, its monitor said something else")
	}
	if a := monitor.Now(); a.Busy || a.Serves != "" || a.Tasks == 0 || a.Games == 0 || a.Run != opt.Name {
		t.Errorf("after the run: %+v", a)
	}

	var lonely worker.Monitor
	err := worker.Work(t.Context(), worker.Options{Join: address, Workers: 1, Wait: time.Millisecond, Log: quiet, Monitor: &lonely})
	if a := lonely.Now(); !errors.Is(err, worker.ErrAway) || a.Waits == "" || a.Serves != "" {
		t.Errorf("a worker that reaches nobody ends with %v: %+v", err, a)
	}
}
