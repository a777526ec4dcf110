// Package wire defines the messages between a hub and its workers, and the keys, subjects,
// addresses and TLS settings that both sides use. A hub is a trainer that hands out tasks (see
// package hub). A worker is a process that does these tasks, on the same machine or on another one.
//
// # Tasks
//
// A [Lot] is a piece of work that is divided into numbered tasks. The result of a task is a string
// of bytes. The result depends only on the lot and the number of the task, and is the same on every
// processor. So it does not matter which worker does a task, or how many workers do it.
//
// # Messages
//
// Hub and workers communicate over NATS, through a server that the hub embeds or through an
// external one. A worker sends requests, and the hub answers each of them at the worker's [Inbox]:
//
//	kind      the worker sends                    the hub answers
//	question  a Hello without a proof             a Welcome with the run's configuration
//	hello     a Hello with the proof              a Welcome that admits the worker, or an error
//	next      a Request for a task                an Answer, with a Task if there is one
//	model     a Request for a piece of a file     the bytes of the piece; see PieceSize
//	result    a result or a piece of one, with    a State
//	          a Result as header
//	pulse     a Heartbeat                         nothing
//
// Besides these answers, the hub sends messages to all workers, on the subject [Names.State]. Each
// of them is a [State]. It says that there are new tasks, that a lot is done, that all work is
// complete, or that a worker is banned.
//
// All messages are JSON, except files and results. A message can be lost, duplicated or damaged. A
// worker therefore repeats each request until the hub answers it. A task has a checksum, hellos and
// results are signed, and a file is named by its hash.
//
// A NATS server limits the size of messages, usually to 1 MB. Therefore files and results travel in
// pieces of [PieceSize] bytes.
//
// # Subjects
//
// Each worker sends on its own subjects, dojo.RUN.KIND.IDENTITY (see [Names]). Only a question goes
// to dojo.hello.IDENTITY, because the worker does not know the run yet. An embedded server allows a
// worker only these subjects, so the subject of a message proves which worker sent it.
//
// # Several runs
//
// The hubs of several runs can share an external server. A question reaches all of them, and a
// worker chooses a run by their answers; see [Survey].
//
// # Keys
//
// The hub recognises a worker by the worker's [Key]. With the key, the worker signs its hellos and
// its results. When it connects to an embedded server, it also signs a nonce that the server sends.
// At the hub, the worker's name is the name that it has chosen, followed by the identity of its
// key; see [Identified].
package wire

import (
	"encoding/json"
	"errors"
	"strings"

	"dojo.example/data/rundir"
	"dojo.example/internal/balance"
	"dojo.example/internal/bounded"
)

// Protocol is the version of the messages. Every worker's proof depends on it, so a hub refuses
// workers whose programs have a different version.
const Protocol = 12

// These limits apply to the size of messages, in bytes.
const (
	MaxResult  = 8 << 20                  // the largest result; with the presets, a shard of games has about 100,000 bytes
	MaxMessage = rundir.MaxConfig + 1<<13 // the largest message that is not a result or a piece of a file
	MaxHeader  = 1 << 12                  // the largest hello, heartbeat, or header of a result
)

// PieceSize is the number of bytes of a file or of a result that one message carries. A worker
// requests the pieces of a file one after another, and also sends the pieces of a result one after
// another. So content of any size arrives, if the network can carry one piece within Times.Request.
// The last piece of a file is shorter than PieceSize and may be empty.
const PieceSize = 64 << 10

// LeastPayload is the largest message that a NATS server must allow: a piece with its header.
const LeastPayload = PieceSize + 2*MaxHeader

// A Lot is a piece of work that is divided into numbered tasks.
type Lot struct {
	Kind  string    `json:"kind"`  // selects the function that makes the executor of the tasks
	Spec  string    `json:"spec"`  // the parameters of the executor, as JSON
	Files [2]string `json:"files"` // the SHA-256 of each checkpoint that the tasks need; "" for none

	// Attempt is the number of workers that the run has banned so far. So after each ban the same
	// work starts again with another id.
	Attempt int `json:"attempt"`
}

// NewLot returns a lot (a batch of tasks) of the given kind. files holds the content of the files
// that its tasks need. An element is nil if there is no such file.
func NewLot(kind string, spec any, files [2][]byte) Lot {
	l := Lot{Kind: kind, Spec: string(JSON(spec))}
	for i, content := range files {
		if content != nil {
			l.Files[i] = rundir.TextHash(content)
		}
	}
	return l
}

// ID returns a hash that identifies the lot (the batch of tasks) in messages.
func (l Lot) ID() string { return rundir.TextHash(JSON(l))[:16] }

// A Task is one numbered task of a lot (a batch of tasks), as the hub sends it to a worker.
type Task struct {
	Lot
	Number int `json:"number"`

	// Sum is the SHA-256 of the task, computed with an empty Sum. Without it, a worker would not
	// notice, for example, that the seed was damaged on its way, and would send a wrong result.
	Sum string `json:"sum"`
}

// Encode sets the checksum of the task and returns the message that contains the task.
func (t Task) Encode() []byte {
	t.Sum = t.sum()
	return JSON(t)
}

// DecodeTask reads a task from a message. It returns an error if the checksum is wrong.
func DecodeTask(data []byte) (t Task, err error) {
	err = bounded.Unmarshal(data, &t)
	if err == nil && t.Sum != t.sum() {
		err = errors.New("its checksum is wrong")
	}
	return t, err
}

// sum computes the value that Sum must have.
func (t Task) sum() string {
	t.Sum = ""
	return rundir.TextHash(JSON(t))
}

// A Request asks for a task, or for a piece of a file.
type Request struct {
	Worker string `json:"worker"`
	Lot    string `json:"lot,omitempty"`   // the id of the batch of tasks on which the worker works; "" asks for a task of any batch
	Held   []int  `json:"held,omitempty"`  // the numbers of the tasks on which the worker works
	File   string `json:"file,omitempty"`  // the SHA-256 of the file that the worker asks for
	Piece  int    `json:"piece,omitempty"` // the number of the piece; see PieceSize
	Fresh  bool   `json:"fresh,omitempty"` // another run has free tasks, so the worker wants no task that somebody else works on
}

// An Answer is the hub's answer to a request for a task. Task is empty if there is no task at the
// moment.
type Answer struct {
	State
	Task json.RawMessage `json:"task,omitempty"`
}

// A State is a message about the work. The hub sends it to all workers, or as an answer to one
// worker. The zero State says that there may be new tasks, or that the request is done.
type State struct {
	Complete bool   `json:"complete,omitempty"` // there will be no more tasks
	Done     string `json:"done,omitempty"`     // the id of a lot (a batch of tasks); all of its tasks are done, so workers stop working on it
	CutOff   string `json:"cut_off,omitempty"`  // the name of the worker that is banned
	Why      string `json:"why,omitempty"`      // the reason for the ban
	Unknown  bool   `json:"unknown,omitempty"`  // the hub does not know the worker, so the worker must say hello first
	Have     int    `json:"have,omitempty"`     // in the answer to a piece of a result: the number of bytes that the hub has, or the size of the result if the hub needs no more of it
}

// ResultHeader is the key under which the header of a message contains a Result.
const ResultHeader = "Dojo-Result"

// A Result describes the result of a task. A worker sends it in the header of a message.
//
// The data of the message are the whole result if Size is 0. A result of more than PieceSize bytes
// travels in several messages, and the data of each are a piece. Each piece has PieceSize bytes,
// except the last one. The worker sends the first piece, and then always the piece that follows the
// bytes that the hub has; see State.Have.
type Result struct {
	Worker string `json:"worker"` // the worker's name at the hub
	Key    string `json:"key"`    // the worker's public key
	Lot    string `json:"lot"`    // the id of the lot (the batch of tasks)
	Number int    `json:"number"`
	Hash   string `json:"hash"`           // the SHA-256 of the result
	Size   int    `json:"size,omitempty"` // the number of bytes of a result that travels in pieces
	From   int    `json:"from,omitempty"` // the number of bytes before this piece
	Sum    string `json:"sum,omitempty"`  // the SHA-256 of this piece
	Claim

	// Signature is the worker's signature of the Result without this field.
	Signature []byte `json:"signature"`
}

// A Claim is a worker's statement of how much it has computed since its last result. The hub cannot
// check a claim, because the result does not show these numbers.
type Claim struct {
	Simulations int `json:"simulations"`
	Evaluations int `json:"evaluations"`
}

// Sign signs the result with the worker's key.
func (r *Result) Sign(k Key) {
	r.Key = k.Public()
	r.Signature = k.Sign(r.message())
}

// message returns the bytes that the signature covers.
func (r Result) message() []byte {
	r.Signature = nil
	return JSON(r)
}

// Verify returns an error unless the Result is signed by the worker that it names, and the data of
// its message have the hash that it states.
func (r Result) Verify(data []byte) error {
	name := strings.TrimSuffix(r.Worker, "-"+rundir.KeyOf(r.Worker))
	hash := r.Hash
	if r.Size != 0 {
		hash = r.Sum
	}
	switch {
	case Identified(name, r.Key) != r.Worker:
		return errors.New("its key belongs to another worker")
	case hash != rundir.TextHash(data) || !Signed(r.Key, r.message(), r.Signature):
		return errors.New("its signature is wrong")
	}
	return nil
}

// A Hello is a worker's request to be admitted. The worker first sends it without the proof, as a
// question. The answer contains the run's configuration, from which the worker computes the proof.
// Then the worker sends the hello with the proof.
type Hello struct {
	Worker   string `json:"worker"`   // the name that the worker has chosen
	Protocol int    `json:"protocol"` // see Protocol
	Program  string `json:"program"`  // the version of the program
	System   string `json:"system"`   // operating system and processor, such as linux/arm64
	Kernels  string `json:"kernels"`  // the instruction sets that the program uses
	Proof    string `json:"proof"`    // shows that the worker's program computes the same bits as the hub
	Key      string `json:"key"`      // the worker's public key

	// Signature is the worker's signature of the Hello without this field.
	Signature []byte `json:"signature"`
}

// Sign signs the hello with the worker's key.
func (h *Hello) Sign(k Key) {
	h.Key = k.Public()
	h.Signature = k.Sign(h.message())
}

// message returns the bytes that the signature covers.
func (h Hello) message() []byte {
	h.Signature = nil
	return JSON(h)
}

// IsSigned reports whether the hello was signed with the private key that belongs to its public
// key.
func (h Hello) IsSigned() bool { return Signed(h.Key, h.message(), h.Signature) }

// A Welcome is the hub's answer to a question or a hello. Hubs of older programs omit the fields
// from Protocol on.
type Welcome struct {
	Error    string `json:"error,omitempty"`     // the reason why the hub refuses the worker
	Name     string `json:"name"`                // the name of the run
	Run      string `json:"run"`                 // the text that stands for the run in subjects; see Names
	Config   string `json:"config" text:"lines"` // the text of run.yaml
	Admitted bool   `json:"admitted"`            // the hub admits the worker, because its proof is right
	Once     bool   `json:"once"`                // when this hub ends, the work is over, because no later hub continues it
	Complete bool   `json:"complete"`            // there will be no more tasks

	Protocol int    `json:"protocol,omitempty"` // see Protocol
	Program  string `json:"program,omitempty"`  // the version of the hub's program
	Other    bool   `json:"other,omitempty"`    // the hub refuses the worker because its program is another version
	balance.Load
}

// A Heartbeat tells the hub that a worker is alive. A worker sends one in every HeartbeatInterval.
type Heartbeat struct {
	Worker     string `json:"worker"`
	Goroutines int    `json:"goroutines"`
	Leaves     bool   `json:"leaves,omitempty"` // this is the last heartbeat, because the worker leaves
}

// JSON returns the JSON encoding of v, whose type must be a type of this package.
func JSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot happen, because all fields have plain types
	}
	return text
}
