package cluster_test

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"dojo.example/cluster"
)

// A worker that takes all tasks and keeps them forever does not stop the run: the trainer
// takes them back, and says so.
func TestHoarder(t *testing.T) {
	t.Parallel()
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tookBack := make(chan struct{}, 1000)
	hub, err := cluster.NewHub(t.Context(), cluster.HubOptions{
		Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), Listen: "127.0.0.1:0", Verify: 0.5,
		Log: slog.New(notify{quiet.Handler(), "no result has come, and workers hold all tasks that are left: they are given to others", tookBack}),
	}.WithTimes(cluster.Times{Hold: 100 * time.Millisecond}))
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Attach(&opt, config); err != nil {
		t.Fatal(err)
	}
	joined, worked, took := make(chan struct{}, 1), make(chan error, 1), make(chan struct{})
	go func() {
		var once sync.Once
		worked <- cluster.Hoard(t.Context(), cluster.WorkerOptions{
			Join: hub.Address(), Name: "hoarder", Workers: 1, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
		}, func() { once.Do(func() { close(took) }) })
	}()
	<-joined
	if err := errors.Join(finish(t, hub, opt), <-worked); err != nil {
		t.Fatal(err)
	}
	<-took
	if len(tookBack) == 0 {
		t.Error("the log does not say that tasks were taken back")
	}
	compare(t, string(opt.Folder))
}
