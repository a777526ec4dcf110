package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"dojo/run"
	"dojo/serve"
	"dojo/train"
)

// liveReport is a reporter that also keeps the present stage for the dashboard.
type liveReport struct {
	train.Reporter
	stage atomic.Pointer[serve.Stage]
}

// Stage notes the stage and what is done of it; see train.Reporter.
func (r *liveReport) Stage(generation int, stage string, total int) func(int, string) {
	report := r.Reporter.Stage(generation, stage, total)
	r.stage.Store(&serve.Stage{Generation: generation, Name: stage, Total: total})
	return func(done int, remark string) {
		r.stage.Store(&serve.Stage{Generation: generation, Name: stage, Done: done, Total: total, Remark: remark})
		report(done, remark)
	}
}

// live is the present stage; ok is false before the first.
func (r *liveReport) live() (stage serve.Stage, ok bool) {
	if s := r.stage.Load(); s != nil {
		return *s, true
	}
	return serve.Stage{}, false
}

// serveBeside opens the dashboard of a run that this process trains, if there is an
// address for it. It is there until stop is called, which waits for its end.
func (a *app) serveBeside(ctx context.Context, listen string, folder run.Folder, r *liveReport) (stop func() error, err error) {
	if listen == "" {
		return func() error { return nil }, nil
	}
	models, err := a.extraModels()
	if err != nil {
		return nil, err
	}
	s, err := serve.New(serve.Options{Runs: []run.Folder{folder}, Models: models, Live: r.live})
	if err != nil {
		return nil, err
	}
	l, err := listenOn(listen, listen != serve.DefaultListen)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- s.Serve(ctx, l, func(url string) { fmt.Fprintf(a.stderr, "dashboard: %s\n", url) })
	}()
	return func() error {
		cancel()
		return <-ended
	}, nil
}
