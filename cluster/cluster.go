// Package cluster shares the games of a run among several machines. The trainer is a
// [Hub]: it holds the run's folder and hands out tasks. A worker ([Work]), on another
// machine or in another process of this one, does tasks and sends back their results.
//
// A lot is a piece of work that is cut into numbered tasks. The result of a task is a
// string of bytes, and a pure function of the lot and the task's number. There are three
// kinds of lots (see executorMakers):
//
//	shards   a generation's games of self-play; a task is a shard (see package selfplay)
//	gate     the match of a generation's gate; a task is a pair of games (see package arena)
//	match    any other match of players that do not play by the clock; likewise
//
// The program computes the same bytes on every processor, so it does not matter who does
// a task, or how often: the files of a run are the same with any number of workers,
// whichever of them are killed, and two results of the same task are equal. If two
// results differ, a computer made a mistake or somebody lies. The hub then does the task
// itself, and cuts off the worker that was wrong. To find such workers, the hub has some
// shards, and some pairs of games of gates, computed twice (see audit).
//
// Messages go over NATS with its persistent streams, JetStream, in a server that the hub
// embeds, or in one that is there already:
//
//	stream jobs      a work queue of tasks. A worker that takes a task leases it for some
//	                 seconds, and renews the lease while it works. When a worker dies,
//	                 its leases end and its tasks go to others.
//	stream results   the results of tasks. The hub checks each and keeps it in the lot's
//	                 store. The store of a lot of shards is the run's folder: a shard
//	                 whose file exists is done, and is not stored again. The folder's
//	                 ledger.jsonl says which worker sent it (run.Ledger).
//	stream models    the checkpoints that play, by the SHA-256 of their files, in chunks.
//	subject hello    a worker asks to be let in, see [Proof].
//	subject pulse    heartbeats: a worker says what it is doing, for display only.
//	subject state    the hub says that the work is complete, or that a worker is cut off.
//	subject check    the hub asks one worker to do a task again that another one has done.
//
// A worker is known by its key (see [Key]): it signs its results, and its name at the hub
// ends with the key's identity. A task has a ticket, without which no result is taken.
//
// The server may be restarted, and may lose what it has: hub and workers wait for it (see link),
// and the hub makes what is lost again from its stores and the files of open lots.
//
// At an embedded server a worker that is let in can take tasks, read models, and send results and
// heartbeats under its name, and nothing else; see gatekeeper.
package cluster

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"dojo.example/internal/bounded"
	"dojo.example/run"
	"dojo.example/selfplay"
)

// Limits of what travels.
const (
	maxResult  = 8 << 20 // bytes; the shards of the presets have some 100,000
	maxMessage = run.MaxConfig + 1<<13
)

// lease is the time for which a worker has a task. Unless the worker renews the lease in
// that time, the task goes to another one.
const lease = 10 * time.Second

// A lot is work that is cut into numbered tasks.
type lot struct {
	Kind  string    `json:"kind"`  // a key of executorMakers
	Spec  string    `json:"spec"`  // the parameters, as JSON: a shardSpec, gateSpec or matchSpec
	Files [2]string `json:"files"` // the SHA-256 of the checkpoints that it needs; "" for none
}

// id identifies the lot in subjects and results.
func (l lot) id() string { return digest(mustJSON(l))[:16] }

// A task is one numbered task of a lot, as it travels to a worker.
type task struct {
	lot
	Number int `json:"number"`

	Ticket string `json:"ticket"` // see ticketOffice

	// Sum is the digest of the task without Sum. A worker that played a task with a damaged seed,
	// say, would send a wrong result in good faith.
	Sum string `json:"sum"`
}

// encode returns the task as it travels.
func (t task) encode() []byte {
	t.Sum = t.sum()
	return mustJSON(t)
}

// decodeTask reads a task that has travelled.
func decodeTask(data []byte) (t task, err error) {
	err = bounded.Unmarshal(data, &t)
	if err == nil && t.Sum != t.sum() {
		err = errors.New("its checksum is wrong")
	}
	return t, err
}

// sum is what Sum must be.
func (t task) sum() string {
	t.Sum = ""
	return digest(mustJSON(t))
}

// A result says whose result a message has. It travels in the message's header; the
// message's data are the bytes that the task gave.
type result struct {
	Worker string          `json:"worker"` // its name at the hub
	Key    string          `json:"key"`    // its public key
	Lot    string          `json:"lot"`    // its id
	Number int             `json:"number"`
	Ticket string          `json:"ticket"` // of the task
	Totals selfplay.Totals `json:"totals"`
	Hash   string          `json:"hash"` // the SHA-256 of the message's data

	// Signature is the worker's, of the result without it.
	Signature string `json:"signature"`
}

// message is what the signature of a result is of.
func (r result) message() []byte {
	r.Signature = ""
	return mustJSON(r)
}

// verify returns an error unless the worker that a result names has signed it with this content.
func (r result) verify(content []byte) error {
	name := strings.TrimSuffix(r.Worker, "-"+run.KeyOf(r.Worker))
	switch {
	case identified(name, r.Key) != r.Worker:
		return errors.New("its key is another worker's")
	case r.Hash != digest(content) || !signed(r.Key, r.message(), r.Signature):
		return errors.New("its signature is wrong")
	}
	return nil
}

// resultHeader is the key of a message's header that holds a result.
const resultHeader = "Dojo-Result"

// A taskIO connects an executor with the queue of tasks and with the receiver of results.
type taskIO struct {
	// next returns the number of the next task; ok is false when there are no more.
	next selfplay.Shards

	// send delivers the result of a task, and the number of games and positions in it.
	// Several goroutines may call it at a time.
	send func(number int, content []byte, t selfplay.Totals) error

	// progress reports what this call of the executor has done so far. One goroutine
	// at a time calls it.
	progress func(selfplay.Totals)
}

// An executor does tasks of one lot until io has no more, and returns what it has done.
type executor func(ctx context.Context, io taskIO) (selfplay.Totals, error)

// An executorMaker makes the executor of a lot. files has the content of the lot's files,
// nil for one that is not needed; workers is the number of goroutines to use.
type executorMaker func(l lot, files [2][]byte, workers int) (executor, error)

// executorMakers has an entry for each kind of lots.
var executorMakers = map[string]executorMaker{
	"shards": shardExecutor,
	"gate":   gateExecutor,
	"match":  matchExecutor,
}

// names builds the names of a run's streams and subjects, all of which contain run, so
// that several runs can share a server.
type names struct{ run string }

// namesOf returns the names for the run with the given name and text of run.yaml. With
// once, the work is not continued by a later process (see HubOptions.Once), and the names
// get a random part.
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
func (n names) heartbeatSubjects() string     { return "dojo." + n.run + ".pulse.*" }
func (n names) stateSubject() string          { return "dojo." + n.run + ".state" }
func (n names) checkSubjects() string         { return "dojo." + n.run + ".check.*" }

// resultsSubject is the subject on which only the named worker may send results.
func (n names) resultsSubject(worker string) string {
	return "dojo." + n.run + ".results." + digest([]byte(worker))[:16]
}

// heartbeatSubject is the subject on which only the named worker may send heartbeats.
func (n names) heartbeatSubject(worker string) string {
	return "dojo." + n.run + ".pulse." + digest([]byte(worker))[:16]
}

// checkSubject is where only the named worker hears which tasks it is to do again.
func (n names) checkSubject(worker string) string {
	return "dojo." + n.run + ".check." + digest([]byte(worker))[:16]
}

// helloSubject is where a worker says hello first, when it does not know the run yet.
const helloSubject = "dojo.hello"

// helloSubject is where a worker says hello with its proof. Only the run's hub listens
// there, while the hubs of several runs may listen on the other one.
func (n names) helloSubject() string { return "dojo." + n.run + ".hello" }

// consumer is the name of the JetStream consumer of a stream; each stream has one.
const consumer = "all"

// A state is a message of the hub to all workers: there will be no more tasks, or one of
// the workers is cut off.
type state struct {
	Complete bool   `json:"complete,omitempty"`
	CutOff   string `json:"cut_off,omitempty"` // the name of the worker that is cut off
	Why      string `json:"why,omitempty"`     // the reason
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
