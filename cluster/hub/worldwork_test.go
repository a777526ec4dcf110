package hub_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data"
)

// work simulates the machine of worker i: whenever the worker's process dies, the machine starts
// another one, until the run is complete.
func (w *world) work(i int, rng *rand.Rand) {
	name, key := fmt.Sprint("worker ", i), wire.NewKey()
	lying := w.liar && i == 0
	for w.done.Err() == nil {
		ctx, kill := context.WithCancel(w.done)
		if w.mortal {
			time.AfterFunc(exponential(rng, 10*time.Minute), func() { w.net.drop(name); kill() })
		}
		opt := worker.Options{Join: "127.0.0.1:4222", Name: name, Key: key, Workers: 1, Log: w.log(name)}
		tasks := rand.New(rand.NewPCG(rng.Uint64(), 0))
		err := WorkOver(ctx, opt, w.net.to(name), func(ctx context.Context, lot string, number int, honest func() (Done, error)) ([]Done, error) {
			return w.task(ctx, tasks, lot, number, lying, honest)
		})
		died := ctx.Err() != nil
		kill()
		w.happened("%s ended: %v", name, err)
		if w.done.Err() != nil && w.calm() && !lying {
			w.wrong("workers end with the run", "%s: %v", name, err)
		}
		switch {
		case err == nil: // the run is complete
			return
		case errors.Is(err, worker.ErrRefused) && lying:
			key = wire.NewKey() // the liar tries again with a new key
		case !died && w.net.corrupt == 0: // the process was not killed, and no message was damaged, so the hub must admit it
			w.wrong("honest workers are let in", "%s: %v", name, err)
			return
		}
		wait(w.done, exponential(rng, time.Minute))
	}
}

// task does a task as a worker of the world. It takes a few minutes of simulated time, in rare
// cases much longer. In some cases it returns the result twice, so that the worker sends it twice.
// If lying is true, some results are false.
func (w *world) task(ctx context.Context, rng *rand.Rand, lot string, number int, lying bool, honest func() (Done, error)) ([]Done, error) {
	wait(ctx, time.Duration(5+rng.IntN(400))*time.Second)
	if rng.Float64() < 0.02 {
		wait(ctx, exponential(rng, 20*time.Minute))
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	d, err := w.known(lot, number, honest)
	if err != nil {
		return nil, err
	}
	if lying && rng.Float64() < 0.3 {
		if d.Content, err = falsified(d.Content); err != nil {
			return nil, err
		}
		w.mu.Lock()
		w.lies++
		w.mu.Unlock()
		w.happened("a lie about %d of %.12s", number, lot)
	}
	if rng.Float64() < 0.05 {
		return []Done{d, d}, nil
	}
	return []Done{d}, nil
}

// known returns the correct result of a task. It computes each task only once, however many workers
// do the task.
func (w *world) known(lot string, number int, honest func() (Done, error)) (d Done, err error) {
	at := fmt.Sprint(lot, " ", number)
	w.mu.Lock()
	d, ok := w.truth[at]
	w.mu.Unlock()
	if ok {
		return d, nil
	}
	if d, err = honest(); err == nil {
		w.mu.Lock()
		w.truth[at] = d
		w.mu.Unlock()
	}
	return d, err
}

// falsified returns a false result: if content is a shard, a shard with other values, and otherwise
// the first half of content.
func falsified(content []byte) ([]byte, error) {
	h, rows, err := data.DecodeShard("a shard", content, data.Limits{})
	if err != nil {
		return append([]byte(nil), content[:len(content)/2]...), nil
	}
	for i := range rows {
		rows[i].Value = -rows[i].Value
	}
	return data.EncodeShard(h, rows)
}
