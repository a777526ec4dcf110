// Package cluster does the work of a run on several machines. The trainer is a [Hub]: it
// holds the run's folder and hands out tasks. A [Worker] on another machine, or in
// another process of this one, does them and sends back what came out.
//
// A task is a number of a lot, and its result, some bytes, a pure function of both.
// There are three kinds of lots (see kinds):
//
//	shards   a generation's games of self-play; a task is a shard (see package selfplay)
//	gate     the match of a generation's gate; a task is a pair of games (see package arena)
//	match    any other match of players that do not play by the clock; likewise
//
// The program gives the same bytes on every processor, so it does not matter who does a
// task, or how often: the files of a run are the same with any number of workers,
// whichever of them are killed, and a result that comes twice is the same twice. Two
// that differ mean that a computer made a mistake, or that somebody lies; the hub then
// does the task itself, and cuts off who was wrong. So that this is found, the hub has
// some shards, and some pairs of games of gates, played twice.
//
// What travels goes over NATS with its persistent streams, JetStream, in a server that
// the hub embeds, or in one that is there already:
//
//	stream jobs      a work queue of tasks. A worker that takes a task has it for some
//	                 seconds, and asks for more time while it works. The tasks of a
//	                 worker that dies go to others.
//	stream results   what came out. The hub checks each and enters it into the lot's
//	                 ledger. That of shards is the run's folder: a shard whose file is
//	                 there has been counted, whatever is sent again. Which worker sent
//	                 it the folder's ledger.jsonl says (run.Ledger).
//	store models     the checkpoints that play, by the SHA-256 of their files.
//	subject hello    a worker asks to be let in, see [Proof].
//	subject pulse    a worker says what it does, for whoever watches.
//	subject state    the hub says that the work is complete, or that a worker is cut off.
//
// A worker that is let in can take tasks, read models, send results and its pulse in its
// own name, and nothing else.
package cluster

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"dojo/run"
	"dojo/selfplay"
)

// Limits of what travels.
const (
	maxResult  = 8 << 20 // bytes; the shards of the presets have some 100,000
	maxMessage = run.MaxConfig + 1<<13
)

// lease is how long a worker has a task before it must ask for more time.
const lease = 10 * time.Second

// A lot is work that is cut into numbered tasks.
type lot struct {
	Kind  string    `json:"kind"`  // see kinds
	Spec  string    `json:"spec"`  // what the kind wants to know, as JSON
	Files [2]string `json:"files"` // the SHA-256 of the checkpoints that it needs; "" for none
}

// id tells lots apart, in subjects and results.
func (l lot) id() string { return digest(mustJSON(l))[:16] }

// A task is one of a lot's, as it travels to a worker.
type task struct {
	lot
	Number int `json:"number"`

	// Except is the name of a worker that leaves the task to others: it has sent a
	// result, which is to be computed again.
	Except string `json:"except,omitempty"`
}

// A result travels beside the bytes that a task gave, in the header of their message.
type result struct {
	Worker string          `json:"worker"`
	Lot    string          `json:"lot"` // its id
	Number int             `json:"number"`
	Totals selfplay.Totals `json:"totals"`
}

// resultHeader is the key of a message's header that holds a result.
const resultHeader = "Dojo-Result"

// A bench is what a compute works with.
type bench struct {
	// next hands out the number of the next task; ok is false when there are no more.
	next selfplay.Shards

	// send takes what a task gave, and the games and positions in it. It may be
	// called by several goroutines at a time.
	send func(number int, content []byte, t selfplay.Totals) error

	// progress takes what this call of the compute has done so far. It is called by
	// one goroutine at a time.
	progress func(selfplay.Totals)
}

// A compute does tasks of one lot until the bench has no more.
type compute func(ctx context.Context, b bench) (selfplay.Totals, error)

// An opener is how a worker makes the compute of a lot from the content of its files; nil
// for a file that is not needed.
type opener func(l lot, files [2][]byte, workers int) (compute, error)

// kinds are the kinds of lots.
var kinds = map[string]opener{
	"shards": openShards,
	"gate":   openGate,
	"match":  openMatch,
}

// names are those of a run's streams and subjects: several runs may share a server.
type names struct{ run string }

// namesOf returns the names for the run with the given name and run.yaml. Work that no
// other process goes on with has names of its own.
func namesOf(name, config string, once bool) names {
	if once {
		name += rand.Text()
	}
	sum := sha256.Sum256([]byte(name + "\n" + config))
	return names{hex.EncodeToString(sum[:6])}
}

func (n names) jobs() string    { return "dojo-jobs-" + n.run }
func (n names) results() string { return "dojo-results-" + n.run }
func (n names) models() string  { return "dojo-models-" + n.run }

func (n names) jobsSubject(lot string) string { return "dojo." + n.run + ".jobs." + lot }
func (n names) resultsSubjects() string       { return "dojo." + n.run + ".results.*" }
func (n names) pulseSubjects() string         { return "dojo." + n.run + ".pulse.*" }
func (n names) stateSubject() string          { return "dojo." + n.run + ".state" }

// resultsSubject is where the worker of the given name, and no other, sends its results.
func (n names) resultsSubject(worker string) string {
	return "dojo." + n.run + ".results." + digest([]byte(worker))[:16]
}

// pulseSubject is where the worker of the given name, and no other, says what it does.
func (n names) pulseSubject(worker string) string {
	return "dojo." + n.run + ".pulse." + digest([]byte(worker))[:16]
}

// helloSubject is where a worker that does not know the run yet says hello. With its proof
// it does so where the run's hub alone listens: several may share a server.
const helloSubject = "dojo.hello"

func (n names) helloSubject() string { return "dojo." + n.run + ".hello" }

// consumer is the name of the one consumer of each stream.
const consumer = "all"

// A state is what the hub says to all workers: that there will be no more tasks, or that
// one of them is cut off.
type state struct {
	Complete bool   `json:"complete,omitempty"`
	CutOff   string `json:"cut_off,omitempty"` // the worker's name
	Why      string `json:"why,omitempty"`
}

// mustJSON returns a value of this package as JSON.
func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // all fields are plain
	}
	return text
}

// digest is the SHA-256 of a file's content, in hexadecimal.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
