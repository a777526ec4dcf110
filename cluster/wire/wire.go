// Package wire has what a hub and its workers say to each other, and what both need for that. A
// hub is a trainer that hands out tasks (see package hub); a worker is a process, on this machine
// or another one, that does them.
//
// # Tasks
//
// A [Lot] is a piece of work that is cut into numbered tasks. The result of a task is a string of
// bytes, and a pure function of the lot and the task's number. Every processor computes the same
// bytes, so it does not matter who does a task, or how often.
//
// # Messages
//
// Hub and workers talk over NATS, through a server that the hub embeds or one that is there already.
// A worker makes requests, and the hub answers them at the worker's [Inbox]:
//
//	kind      the worker sends                    the hub answers
//	question  a Hello without a proof             a Welcome with the run's configuration
//	hello     a Hello with the proof              a Welcome that admits the worker, or an error
//	next      a Request for a task                an Answer with a Task, or without one
//	model     a Request for a piece of a file     the bytes; see PieceSize
//	result    a task's bytes, a Result as header  a State
//	pulse     a Heartbeat                         nothing
//
// Only the hub says something to all workers, on the subject [Names.State]: a [State] says that there
// are new tasks, that a lot is done, that all work is complete, or that a worker is cut off.
//
// All messages but files and results are JSON. Messages get lost, come twice or come damaged. A
// worker repeats each request until it is answered. A task has a checksum, a hello and a result are
// signed, and a file is named by its hash.
//
// # Subjects
//
// Each worker sends on subjects of its own, dojo.RUN.KIND.IDENTITY (see [Names]); only a question,
// before the worker knows the run, goes to dojo.hello.IDENTITY. An embedded server lets a worker
// send and hear nothing else, so the subject shows who has sent a message.
//
// # Keys
//
// A worker is known by its [Key]. It signs its hellos, its results, and what an embedded server draws
// when the worker connects. Its name at the hub is the name that it has chosen, and the key's
// identity behind it; see [Identified].
package wire

import (
	"encoding/json"
	"errors"
	"strings"

	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
)

// Protocol is the version of the messages. It is part of the proof that a worker computes, so that
// programs with different versions refuse each other.
const Protocol = 11

// Limits of what travels, in bytes.
const (
	MaxResult  = 8 << 20                  // a result; the shards of the presets have some 100,000
	MaxMessage = rundir.MaxConfig + 1<<13 // any other message
	MaxHeader  = 1 << 12                  // a hello, or the header of a result
)

// PieceSize is the number of bytes of a file in one message. The worker requests one after
// another, so that a file of any size gets through as long as the network carries a piece within
// Times.Request. The last piece is shorter, and may be empty.
const PieceSize = 64 << 10

// A Lot is work that is cut into numbered tasks.
type Lot struct {
	Kind  string    `json:"kind"`  // says which executor does the tasks
	Spec  string    `json:"spec"`  // the executor's parameters, as JSON
	Files [2]string `json:"files"` // the SHA-256 of the checkpoints that it needs; "" for none

	// Attempt is the number of workers that the run has banned. After each the work begins again.
	Attempt int `json:"attempt"`
}

// NewLot returns a lot of a kind that needs files; nil is none.
func NewLot(kind string, spec any, files [2][]byte) Lot {
	l := Lot{Kind: kind, Spec: string(JSON(spec))}
	for i, content := range files {
		if content != nil {
			l.Files[i] = rundir.TextHash(content)
		}
	}
	return l
}

// ID identifies the lot in messages.
func (l Lot) ID() string { return rundir.TextHash(JSON(l))[:16] }

// A Task is one numbered task of a lot, as it travels to a worker.
type Task struct {
	Lot
	Number int `json:"number"`

	// Sum is the digest of the task without Sum. A worker that played a task with a damaged seed,
	// say, would send a wrong result in good faith.
	Sum string `json:"sum"`
}

// Encode returns the task as it travels.
func (t Task) Encode() []byte {
	t.Sum = t.sum()
	return JSON(t)
}

// DecodeTask reads a task that has travelled.
func DecodeTask(data []byte) (t Task, err error) {
	err = bounded.Unmarshal(data, &t)
	if err == nil && t.Sum != t.sum() {
		err = errors.New("its checksum is wrong")
	}
	return t, err
}

// sum is what Sum must be.
func (t Task) sum() string {
	t.Sum = ""
	return rundir.TextHash(JSON(t))
}

// A Request is for a task, or for a piece of a file.
type Request struct {
	Worker string `json:"worker"`
	Lot    string `json:"lot,omitempty"`   // the id of the lot that the worker works on; "" for any task
	Held   []int  `json:"held,omitempty"`  // the numbers of the tasks of the lot that it works on
	File   string `json:"file,omitempty"`  // its SHA-256
	Piece  int    `json:"piece,omitempty"` // its number; see PieceSize
}

// An Answer answers a request for a task. Without a task there is none at the moment.
type Answer struct {
	State
	Task json.RawMessage `json:"task,omitempty"`
}

// A State is what the hub says to all workers, or to the one whose request it answers. Its zero
// value says that there may be new tasks, or that the request is done.
type State struct {
	Complete bool   `json:"complete,omitempty"` // there will be no more tasks
	Done     string `json:"done,omitempty"`     // the id of a lot whose tasks are all done: who works on it stops
	CutOff   string `json:"cut_off,omitempty"`  // the name of the worker that is cut off
	Why      string `json:"why,omitempty"`      // the reason
	Unknown  bool   `json:"unknown,omitempty"`  // the worker must say hello first
}

// ResultHeader is the key of a message's header that holds a Result.
const ResultHeader = "Dojo-Result"

// A Result says whose result a message has. It travels in the message's header; the
// message's data are the bytes that the task gave.
type Result struct {
	Worker string `json:"worker"` // its name at the hub
	Key    string `json:"key"`    // its public key
	Lot    string `json:"lot"`    // its id
	Number int    `json:"number"`
	Hash   string `json:"hash"` // the SHA-256 of the message's data
	Claim

	// Signature is the worker's, of the result without it.
	Signature []byte `json:"signature"`
}

// A Claim is what a worker says that it has done since its last result. No result shows it.
type Claim struct {
	Simulations int `json:"simulations"`
	Evaluations int `json:"evaluations"`
}

// Sign signs the result with its worker's key.
func (r *Result) Sign(k Key) {
	r.Key = k.Public()
	r.Signature = k.Sign(r.message())
}

// message is what the signature covers.
func (r Result) message() []byte {
	r.Signature = nil
	return JSON(r)
}

// Verify returns an error unless the worker that a result names has signed it with this content.
func (r Result) Verify(content []byte) error {
	name := strings.TrimSuffix(r.Worker, "-"+rundir.KeyOf(r.Worker))
	switch {
	case Identified(name, r.Key) != r.Worker:
		return errors.New("its key is another worker's")
	case r.Hash != rundir.TextHash(content) || !Signed(r.Key, r.message(), r.Signature):
		return errors.New("its signature is wrong")
	}
	return nil
}

// A Hello is a worker's request to be let in. The worker sends it first as a question, without the
// proof. The answer has the run's configuration, from which the worker computes the proof.
type Hello struct {
	Worker   string `json:"worker"`   // the name that it has chosen
	Protocol int    `json:"protocol"` // see Protocol
	Program  string `json:"program"`  // its version
	System   string `json:"system"`   // e.g. linux/arm64
	Kernels  string `json:"kernels"`  // the instruction sets in use
	Proof    string `json:"proof"`    // shows that the worker computes the same bits as the hub
	Key      string `json:"key"`      // its public key

	// Signature is the worker's, of the hello without it.
	Signature []byte `json:"signature"`
}

// Sign signs the hello with its worker's key.
func (h *Hello) Sign(k Key) {
	h.Key = k.Public()
	h.Signature = k.Sign(h.message())
}

// message is what the signature covers.
func (h Hello) message() []byte {
	h.Signature = nil
	return JSON(h)
}

// IsSigned reports whether the owner of the hello's key has signed it.
func (h Hello) IsSigned() bool { return Signed(h.Key, h.message(), h.Signature) }

// A Welcome answers a question or a hello.
type Welcome struct {
	Error    string `json:"error,omitempty"`     // why the worker is refused
	Name     string `json:"name"`                // the run's name
	Run      string `json:"run"`                 // the part of subjects that is the run's; see Names
	Config   string `json:"config" text:"lines"` // the text of run.yaml
	Admitted bool   `json:"admitted"`            // the proof is right
	Once     bool   `json:"once"`                // no later hub continues the work when this one ends
	Complete bool   `json:"complete"`            // there will be no more tasks
}

// A Heartbeat is what a worker reports of itself, once every HeartbeatInterval.
type Heartbeat struct {
	Worker     string `json:"worker"`
	Goroutines int    `json:"goroutines"`
	Leaves     bool   `json:"leaves,omitempty"` // it is the last
}

// JSON returns a value of this package as JSON.
func JSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // all fields are plain
	}
	return text
}
