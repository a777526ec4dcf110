package hub_test

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"net"

	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/rundir"
	"dojo.example/internal/timing"
	"dojo.example/selfplay"
	"github.com/nats-io/nats.go"
)

// Protocol is the protocol version of the hub under test.
const Protocol = wire.Protocol

// ResultSubject returns the subject on which a worker sends its results.
func ResultSubject(run, worker string) string { return subjectOf(run, worker, wire.KindResult) }

// NextSubject returns the subject on which a worker asks for tasks.
func NextSubject(run, worker string) string { return subjectOf(run, worker, wire.KindNext) }

func subjectOf(run, worker, kind string) string {
	return wire.Names{Run: run}.Subject(kind, wire.Identity(worker))
}

// HelloSubject returns the subject on which a worker says hello.
func HelloSubject(run, worker string) string { return subjectOf(run, worker, wire.KindHello) }

// QuestionSubject returns the subject on which a worker asks which run the hub serves.
func QuestionSubject(worker string) string { return subjectOf("", worker, wire.KindQuestion) }

// StateSubject returns the subject on which a hub sends messages to all workers.
func StateSubject(run string) string { return wire.Names{Run: run}.State() }

// AskForTask asks for a task of the lot (the batch of tasks) whose id is lot, as a worker that
// already works on the tasks in held. ok is false if there is no task.
func AskForTask(c *nats.Conn, run, worker, lot string, held ...int) (number int, ok bool, err error) {
	msg, err := c.Request(NextSubject(run, worker), wire.JSON(wire.Request{Worker: worker, Lot: lot, Held: held}), wire.Usual.Request)
	if err != nil {
		return 0, false, err
	}
	var a wire.Answer
	if err := json.Unmarshal(msg.Data, &a); err != nil || a.Task == nil {
		return 0, false, err
	}
	t, err := wire.DecodeTask(a.Task)
	return t.Number, err == nil, err
}

// Lie is like worker.Work, but the worker sends twist(shard) instead of each shard.
func Lie(ctx context.Context, opt worker.Options, twist func(shard []byte) ([]byte, error)) error {
	opt.Makers = maps.Clone(worker.Makers)
	opt.Makers["shards"] = func(l wire.Lot, files [2][]byte, workers int) (worker.Executor, error) {
		honest, err := worker.Makers[l.Kind](l, files, workers)
		return func(ctx context.Context, b worker.IO) error {
			send := b.Send
			b.Send = func(number int, content []byte, t selfplay.Totals) error {
				content, err := twist(content)
				if err != nil {
					return err
				}
				return send(number, content, t)
			}
			return honest(ctx, b)
		}, err
	}
	return worker.Work(ctx, opt)
}

// LieInGates is like worker.Work, but in gate matches (new model against best model) the worker
// swaps the two models.
func LieInGates(ctx context.Context, opt worker.Options) error {
	opt.Makers = maps.Clone(worker.Makers)
	opt.Makers["gate"] = func(l wire.Lot, files [2][]byte, workers int) (worker.Executor, error) {
		return worker.Makers[l.Kind](l, [2][]byte{files[1], files[0]}, workers)
	}
	return worker.Work(ctx, opt)
}

// Hello returns the signed hello of a worker.
func Hello(worker, proof string, version int, key wire.Key) []byte {
	h := wire.Hello{Worker: worker, Protocol: version, Proof: proof}
	h.Sign(key)
	return wire.JSON(h)
}

// NameOf returns the name by which a hub knows a worker: the worker's own name followed by the
// identity of its key.
func NameOf(name string, key wire.Key) string { return wire.Identified(name, key.Public()) }

// Result returns the message header of a result, signed with the worker's key.
func Result(worker string, key wire.Key, lot string, number int, content string) string {
	r := wire.Result{Worker: worker, Lot: lot, Number: number, Hash: rundir.TextHash([]byte(content))}
	r.Sign(key)
	return string(wire.JSON(r))
}

// ResultWith is like Result, but the header claims that the worker computed the given number of
// simulations and as many evaluations.
func ResultWith(worker string, key wire.Key, lot string, number int, content string, made int) string {
	r := wire.Result{Worker: worker, Lot: lot, Number: number, Hash: rundir.TextHash([]byte(content)), Claim: wire.Claim{Simulations: made, Evaluations: made}}
	r.Sign(key)
	return string(wire.JSON(r))
}

// PulseSubject returns the subject on which a worker sends its heartbeats.
func PulseSubject(run, worker string) string { return subjectOf(run, worker, wire.KindPulse) }

// Hoard is like worker.Work, but the worker takes all tasks that it can get and never does them. It
// calls the function took for each task that it gets.
func Hoard(ctx context.Context, opt worker.Options, took func()) error {
	return HoardOver(ctx, opt, nil, took, func(ctx context.Context) { timing.Sleep(ctx, math.MaxInt64) })
}

// HoardOver is like worker.Work, but the worker takes all tasks that it can get, and does one of
// them after each pause. It connects with the function dial, and calls took for each task that it
// gets.
func HoardOver(ctx context.Context, opt worker.Options, dial func() (net.Conn, error), took func(), pause func(ctx context.Context)) error {
	if dial != nil {
		opt.Line = []nats.Option{nats.SetCustomDialer(dialer(dial))}
	}
	opt.Makers = map[string]worker.Maker{}
	for kind, maker := range worker.Makers {
		opt.Makers[kind] = func(l wire.Lot, files [2][]byte, workers int) (worker.Executor, error) {
			honest, err := maker(l, files, workers)
			return func(ctx context.Context, io worker.IO) error { return hoard(ctx, honest, io, took, pause) }, err
		}
	}
	return worker.Work(ctx, opt)
}

// hoard takes all free tasks of a lot (a batch of tasks) and calls the function took for each of
// them. Then it calls the function pause, and does the first task that it holds. It repeats all
// this until it holds no tasks.
func hoard(ctx context.Context, honest worker.Executor, io worker.IO, took func(), pause func(ctx context.Context)) error {
	var mine []int
	for ctx.Err() == nil {
		for number, ok := io.Next(); ok; number, ok = io.Next() {
			took()
			mine = append(mine, number)
		}
		if len(mine) == 0 {
			return nil
		}
		pause(ctx)
		d, err := one(ctx, honest, mine[0])
		if err == nil {
			err = io.Send(mine[0], d.Content, d.Totals)
		}
		if err != nil {
			return err
		}
		mine = mine[1:]
	}
	return context.Cause(ctx)
}

// A Done is a finished task: its result, and how much work it took.
type Done struct {
	Content []byte
	selfplay.Totals
}

// A Doer does a task and returns the results that the worker sends for it. The function honest does
// the task correctly.
type Doer func(ctx context.Context, lot string, number int, honest func() (Done, error)) ([]Done, error)

// A dialer is a function that connects to the hub. As a nats.CustomDialer it ignores the address.
type dialer func() (net.Conn, error)

func (d dialer) Dial(string, string) (net.Conn, error) { return d() }

// WorkOver is like worker.Work, but it connects with dial, and calls do for each task.
func WorkOver(ctx context.Context, opt worker.Options, dial func() (net.Conn, error), do Doer) error {
	opt.Line = []nats.Option{nats.SetCustomDialer(dialer(dial))}
	opt.Makers = map[string]worker.Maker{}
	for kind, maker := range worker.Makers {
		opt.Makers[kind] = func(l wire.Lot, files [2][]byte, workers int) (worker.Executor, error) {
			honest, err := maker(l, files, workers)
			return func(ctx context.Context, io worker.IO) error {
				for {
					number, ok := io.Next()
					if !ok {
						return context.Cause(ctx)
					}
					all, err := do(ctx, l.ID(), number, func() (Done, error) { return one(ctx, honest, number) })
					for _, d := range all {
						if err == nil {
							err = io.Send(number, d.Content, d.Totals)
						}
					}
					if err != nil {
						return err
					}
				}
			}, err
		}
	}
	return worker.Work(ctx, opt)
}

// one executes a single task with the executor do.
func one(ctx context.Context, do worker.Executor, number int) (d Done, err error) {
	waiting := true
	err = do(ctx, worker.IO{
		Next:     func() (int, bool) { defer func() { waiting = false }(); return number, waiting },
		Send:     func(_ int, content []byte, t selfplay.Totals) error { d = Done{content, t}; return nil },
		Progress: func(selfplay.Totals) {},
	})
	return d, err
}
