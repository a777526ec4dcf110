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
// Hub and workers talk over NATS, through a server that the hub embeds or one that is there
// already. A worker makes requests, and the hub answers them:
//
//	hello    the worker asks to be let in; see [Proof]. Before that it asks who is there.
//	next     it asks for a task
//	model    it reads a piece of a checkpoint that the lot's tasks need
//	result   it delivers the result of a task. The hub checks each and keeps it in the lot's
//	         store. The store of a lot of shards is the run's folder: a shard whose file
//	         exists is done. The folder's ledger.jsonl says which worker sent it (rundir.Ledger).
//	pulse    its heartbeat, which has no answer, says that it is there and what it does
//
// The hub alone says something to all workers, on the subject state: that there are new tasks,
// that a lot is done, that all work is complete, or that a worker is cut off.
//
// A task belongs to the worker that was given it as long as its heartbeats come, and it does not
// say otherwise when it asks for the next one. Then the task is given to another worker. When others
// have all tasks that are left, who has nothing to do gets some of these again, and where tasks count
// in their order, so does everybody when a task is late: a worker can keep tasks, but nobody waits for
// it (see Hub.next). The first result counts. When a lot is done, who still works on it stops. All that the
// hub keeps about tasks is in its memory, and
// follows from what is missing in the stores; so neither a hub nor a server that is started
// again has anything to mend.
//
// The hub computes what a result has in it, and takes only the bytes that this program would write
// for that. What no result shows, such as the number of simulations, is a claim: it is bounded, and
// decides nothing.
//
// A worker is known by its key (see [Key]): it signs its results, and its name at the hub
// ends with the key's identity. A result is taken only from a worker that was given the task.
//
// At an embedded server a worker can make requests under its own name, and do nothing else; see
// gatekeeper.
package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"

	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
	"dojo.example/selfplay"
)

// Limits of what travels.
const (
	maxResult  = 8 << 20 // bytes; the shards of the presets have some 100,000
	maxMessage = rundir.MaxConfig + 1<<13
	maxHeader  = 1 << 12 // a hello, or the header of a result
)

// A lot is work that is cut into numbered tasks.
type lot struct {
	Kind  string    `json:"kind"`  // a key of executorMakers
	Spec  string    `json:"spec"`  // the parameters, as JSON: a runSpec or matchSpec
	Files [2]string `json:"files"` // the SHA-256 of the checkpoints that it needs; "" for none
}

// id identifies the lot in subjects and results.
func (l lot) id() string { return rundir.TextHash(mustJSON(l))[:16] }

// A task is one numbered task of a lot, as it travels to a worker.
type task struct {
	lot
	Number int `json:"number"`

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
	return rundir.TextHash(mustJSON(t))
}

// A result says whose result a message has. It travels in the message's header; the
// message's data are the bytes that the task gave.
type result struct {
	Worker string `json:"worker"` // its name at the hub
	Key    string `json:"key"`    // its public key
	Lot    string `json:"lot"`    // its id
	Number int    `json:"number"`
	Hash   string `json:"hash"` // the SHA-256 of the message's data
	claim

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
	name := strings.TrimSuffix(r.Worker, "-"+rundir.KeyOf(r.Worker))
	switch {
	case identified(name, r.Key) != r.Worker:
		return errors.New("its key is another worker's")
	case r.Hash != rundir.TextHash(content) || !signed(r.Key, r.message(), r.Signature):
		return errors.New("its signature is wrong")
	}
	return nil
}

// resultHeader is the key of a message's header that holds a result.
const resultHeader = "Dojo-Result"

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
type executorMaker func(l lot, files [2][]byte, workers int) (executor, error)

// executorMakers has an entry for each kind of lots.
var executorMakers = map[string]executorMaker{
	"shards": runExecutor,
	"gate":   runExecutor,
	"match":  matchExecutor,
}

// newLot returns a lot of a kind, which needs files.
func newLot(kind string, spec any, files [2][]byte) lot {
	l := lot{Kind: kind, Spec: string(mustJSON(spec))}
	for i, content := range files {
		if content != nil {
			l.Files[i] = rundir.TextHash(content)
		}
	}
	return l
}

// names builds the names of a run's subjects, all of which contain run, so that several runs
// can share a server.
type names struct{ run string }

// namesOf returns the names for the run with the given name and text of run.yaml. With
// once, the work is not continued by a later process (see HubOptions.Once), and the names
// get a random part.
func namesOf(name, config string, once bool) names {
	if once {
		name += rand.Text()
	}
	return names{rundir.TextHash([]byte(name + "\n" + config))[:12]}
}

// The kinds of a worker's messages to the hub.
const (
	kindHello  = "hello"
	kindNext   = "next"
	kindModel  = "model"
	kindResult = "result"
	kindPulse  = "pulse"
)

// subject is where the worker with an identity sends messages of a kind; * stands for all
// workers or kinds. At an embedded server nobody else may send there.
func (n names) subject(kind, id string) string { return "dojo." + n.run + "." + kind + "." + id }

// stateSubject is where the hub speaks to all workers.
func (n names) stateSubject() string { return "dojo." + n.run + ".state" }

// questionSubject is where the worker with an identity asks which run there is; * stands for all workers.
// The hubs of several runs may listen there. Then it says hello to one of them, with a message of kindHello.
func questionSubject(id string) string { return "dojo.hello." + id }

// identity stands for a worker's name in subjects.
func identity(worker string) string { return rundir.TextHash([]byte(worker))[:16] }

// inbox returns the beginning of the subjects on which one connection, and no other, gets
// answers. name is the worker's name.
func inbox(name string) string { return inboxes + identity(name) }

// inboxes begins the subjects on which the hub answers requests.
const inboxes = "_INBOX."

// A state is what the hub says to all workers, or to the one whose request it answers. Its zero
// value says that there may be new tasks, or that the request is done.
type state struct {
	Complete bool   `json:"complete,omitempty"` // there will be no more tasks
	Done     string `json:"done,omitempty"`     // the id of a lot whose tasks are all done: who works on it stops
	CutOff   string `json:"cut_off,omitempty"`  // the name of the worker that is cut off
	Why      string `json:"why,omitempty"`      // the reason
	Unknown  bool   `json:"unknown,omitempty"`  // the worker must say hello first
}

// A request is for a task, or for a piece of a file.
type request struct {
	Worker string `json:"worker"`
	Lot    string `json:"lot,omitempty"`   // the id of the lot that the worker works on; "" for any task
	Held   []int  `json:"held,omitempty"`  // the numbers of the tasks of the lot that it works on
	File   string `json:"file,omitempty"`  // its SHA-256
	Piece  int    `json:"piece,omitempty"` // its number; see pieceSize
}

// An answer is the hub's to a request for a task. Without a task there is none at the moment.
type answer struct {
	state
	Task json.RawMessage `json:"task,omitempty"`
}

// pieceSize is the number of bytes of a file in one message. The worker requests one after
// another, so that a file of any size gets through as long as the network carries a piece within
// requestTimeout. The last piece is shorter, and may be empty.
const pieceSize = 64 << 10

// mustJSON returns a value of this package as JSON.
func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // all fields are plain
	}
	return text
}
