package hub_test

import (
	"errors"
	"log/slog"
	"testing"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/worker"
)

// A worker that takes all tasks and never does them cannot stop the run: the trainer does these
// tasks itself, and logs a warning.
func TestHoarder(t *testing.T) {
	t.Parallel()
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	outrun := make(chan struct{}, 1000)
	hub, err := cluster.New(t.Context(), cluster.Options{
		Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), Listen: "127.0.0.1:0", Verify: 0.5,
		Log: slog.New(notify{quiet.Handler(), "a worker holds its tasks so long that others complete them first", outrun}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Attach(&opt, config); err != nil {
		t.Fatal(err)
	}
	const enough = 5 // five of the run's six tasks; the trainer holds the sixth
	taken := make(chan struct{})
	waitFirst(&opt, taken)
	joined, worked := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		took := 0
		worked <- Hoard(t.Context(), worker.Options{
			Join: hub.Address(), Name: "hoarder", Workers: 1, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
		}, func() {
			if took++; took == enough {
				close(taken)
			}
		})
	}()
	<-joined
	if err := errors.Join(finish(t, hub, opt), <-worked); err != nil {
		t.Fatal(err)
	}
	if len(outrun) != 1 {
		t.Errorf("the log says %d times that others do the tasks of the hoarder", len(outrun))
	}
	compare(t, string(opt.Folder))
}
