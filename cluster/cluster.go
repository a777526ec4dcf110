// Package cluster plays the games of a run on several machines. The trainer is a [Hub]:
// it holds the run's folder and hands out shards. A [Worker] on another machine, or in
// another process of this one, plays them and sends them back.
//
// A shard is a pure function of the run's configuration, the model that plays, the
// generation and its own number (see package selfplay), and the program gives the same
// bytes on every processor. So it does not matter who plays a shard, or how often: the
// files of a run are the same with any number of workers, whichever of them are killed,
// and a shard that comes twice is the same twice. Two that differ mean that a computer
// made a mistake, or that somebody lies; the hub then plays the shard itself, and cuts off
// who was wrong. So that this is found, the hub has some shards played twice.
//
// What travels goes over NATS with its persistent streams, JetStream, in a server that
// the hub embeds, or in one that is there already:
//
//	stream jobs      a work queue of tasks, one a shard. A worker that takes a task has it
//	                 for some seconds, and asks for more time while it plays. The tasks of
//	                 a worker that dies go to others.
//	stream shards    finished shards, as the content of their files. The hub checks each
//	                 and puts it into the run's folder: a shard whose file is there has
//	                 been counted, whatever is sent again. Whose it is the folder's ledger
//	                 says (run.Ledger).
//	store models     the checkpoints that play, by the SHA-256 of their files.
//	subject hello    a worker asks to be let in, see [Proof].
//	subject state    the hub says that the run is complete.
//
// A worker that is let in can take tasks, read models and send shards in its own name, and
// nothing else.
package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"dojo/run"
	"dojo/selfplay"
)

// Limits of what travels.
const (
	maxShard   = 8 << 20 // bytes of a shard's file; the games of the presets have some 100,000
	maxMessage = run.MaxConfig + 1<<12
)

// lease is how long a worker has a task before it must ask for more time.
const lease = 10 * time.Second

// A task is a shard to be played, as it travels to a worker.
type task struct {
	Config     string `json:"config"` // the text of run.yaml
	Model      string `json:"model"`  // the name of the model that plays, for the shard
	File       string `json:"file"`   // the SHA-256 of its file; "" for a search without a network
	Generation int    `json:"generation"`
	Shard      int    `json:"shard"`
	Run        string `json:"run"`     // the run's name, for the shard
	Program    string `json:"program"` // the program version that the shard is to bear

	// Except is the name of a worker that leaves the task to others: it has handed in
	// the shard, which is to be computed again.
	Except string `json:"except,omitempty"`
}

// sameJob reports whether two tasks are shards of one selfplay.Job.
func (t task) sameJob(o task) bool {
	t.Shard, o.Shard, t.Except, o.Except = 0, 0, "", ""
	return t == o
}

// A result travels beside the content of a shard, in the header of its message.
type result struct {
	Worker     string          `json:"worker"`
	Generation int             `json:"generation"`
	Shard      int             `json:"shard"`
	File       string          `json:"file"` // of the model that played
	Totals     selfplay.Totals `json:"totals"`
}

// resultHeader is the key of a message's header that holds a result.
const resultHeader = "Dojo-Result"

// names are those of a run's streams and subjects: several runs may share a server.
type names struct{ run string }

// namesOf returns the names for the run with the given name and run.yaml.
func namesOf(name, config string) names {
	sum := sha256.Sum256([]byte(name + "\n" + config))
	return names{hex.EncodeToString(sum[:6])}
}

func (n names) jobs() string   { return "dojo-jobs-" + n.run }
func (n names) shards() string { return "dojo-shards-" + n.run }
func (n names) models() string { return "dojo-models-" + n.run }

func (n names) jobsSubject() string    { return "dojo." + n.run + ".jobs" }
func (n names) shardsSubjects() string { return "dojo." + n.run + ".shards.*" }
func (n names) stateSubject() string   { return "dojo." + n.run + ".state" }

// shardsSubject is where the worker of the given name, and no other, sends its shards.
func (n names) shardsSubject(worker string) string {
	return "dojo." + n.run + ".shards." + digest([]byte(worker))[:16]
}

// helloSubject is where a worker asks to be let in. It does not know the run yet.
const helloSubject = "dojo.hello"

// consumer is the name of the one consumer of each stream.
const consumer = "all"

// complete is what the hub says on the subject state when the run has all generations.
const complete = "complete"

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
