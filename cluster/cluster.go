// Package cluster shares the games of a run among several machines. The trainer is a
// [Hub]: it holds the run's folder and hands out tasks. A worker ([Work]), on another
// machine or in another process of this one, does tasks and sends back their results.
//
// Hub and workers talk over NATS; package wire has what they say. Work comes in lots, which are cut into
// tasks. There are three kinds of lots (see executorMakers):
//
//	shards   a generation's games of self-play; a task is a shard (see package selfplay)
//	gate     the match of a generation's gate; a task is a pair of games (see package arena)
//	match    any other match of players that do not play by the clock; likewise
//
// A task gives the same bytes on every processor. So the files of a run are the same with any number of
// workers, whichever of them are killed. If two results of a task differ, a computer made a mistake or
// somebody lies. The hub then does the task itself, and cuts off the worker that was wrong. To find such
// workers, the hub has some shards, and some pairs of games of gates, computed twice (see package audit).
//
// The hub checks each result, and keeps it in the lot's store. The store of a lot of shards is the run's folder: a shard whose file
// exists is done. The folder's ledger.jsonl says which worker sent it (see package audit).
//
// A task belongs to the worker that was given it as long as its heartbeats come, and it does not
// say otherwise when it asks for the next one. Then the task is given to another worker. When others
// have all tasks that are left, who has nothing to do gets some of these again, and where tasks count
// in their order, so does everybody when a task is late: a worker can keep tasks, but nobody waits for
// it (see Hub.next). The first result counts. When a lot is done, who still works on it stops. All that the
// hub keeps about tasks is in its memory, and follows from what is missing in the stores; so neither a hub
// nor a server that is started again has anything to mend.
//
// The hub computes what a result has in it, and takes only the bytes that this program would write
// for that. What no result shows, such as the number of simulations, is a claim: it is bounded, and
// decides nothing.
//
// A result is taken only from a worker that was given the task, and has signed it.
//
// At an embedded server a worker can make requests under its own name, and do nothing else; see
// gatekeeper.
package cluster

import (
	"context"

	"dojo.example/cluster/wire"
	"dojo.example/selfplay"
)

// A taskIO connects an executor with those who give out tasks and take results.
type taskIO struct {
	// next returns the number of the next task; ok is false when there are no more.
	next selfplay.Shards

	// send delivers the result of a task, and what it has in it: see store.check.
	// Several goroutines may call it at a time.
	send func(number int, content []byte, t selfplay.Totals) error

	// progress reports what the executor has done since it last called it. Several goroutines may
	// call it at a time.
	progress func(selfplay.Totals)
}

// An executor does tasks of one lot until io has no more.
type executor func(ctx context.Context, io taskIO) error

// An executorMaker makes the executor of a lot. files has the content of the lot's files,
// nil for one that is not needed; workers is the number of goroutines to use.
type executorMaker func(l wire.Lot, files [2][]byte, workers int) (executor, error)

// executorMakers has an entry for each kind of lots.
var executorMakers = map[string]executorMaker{
	"shards": runExecutor,
	"gate":   runExecutor,
	"match":  matchExecutor,
}
