package hub_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/worker"
)

// If a worker floods the trainer with garbage, the hub refuses the worker, the log reports this in
// one line, and the files of the run do not change.
func TestFloodOfGarbage(t *testing.T) {
	t.Parallel()
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dropped, cutOff := make(chan struct{}, 1000), make(chan struct{}, 1000)
	hub, err := cluster.New(t.Context(), cluster.Options{
		Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), Listen: "127.0.0.1:0",
		Log: slog.New(notify{notify{quiet.Handler(), "ignored an invalid result", dropped}, "banned a worker that sent too many invalid messages", cutOff}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Attach(&opt, config); err != nil {
		t.Fatal(err)
	}
	proof, err := worker.Proof(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	attacker := connect(t, hub, strangers, "")
	entry := hello(t, attacker, proof)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		for attacker.IsConnected() { // until the hub closes the connection
			if attacker.Publish(ResultSubject(entry.Run, stranger), []byte("garbage")) != nil || attacker.Flush() != nil {
				return
			}
		}
	}()
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatal("a flood of garbage goes on")
	}
	if w := hello(t, connect(t, hub, strangers, ""), proof); w.Admitted || !strings.Contains(w.Error, "were not valid results") {
		t.Errorf("who sent garbage comes again: %+v", w)
	}
	if err := finish(t, hub, opt); err != nil {
		t.Fatal(err)
	}
	if len(cutOff) != 1 {
		t.Errorf("the log says %d times that it is cut off", len(cutOff))
	}
	compare(t, string(opt.Folder))
}
