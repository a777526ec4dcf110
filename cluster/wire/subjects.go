package wire

import (
	"crypto/rand"

	"dojo.example/data/rundir"
)

// Names builds the names of the NATS subjects that a run uses. All names except the subject of
// questions contain Run, so that several runs can share a server.
type Names struct{ Run string }

// NamesOf returns the subject names of a run. It derives them from the run's name and the text of
// its run.yaml. If once is true, no later process continues the work, so the names also get a
// random part.
func NamesOf(name, config string, once bool) Names {
	if once {
		name += rand.Text()
	}
	return Names{rundir.TextHash([]byte(name + "\n" + config))[:12]}
}

// These are the kinds of messages that a worker sends to the hub.
const (
	KindQuestion = "question"
	KindHello    = "hello"
	KindNext     = "next"
	KindModel    = "model"
	KindResult   = "result"
	KindPulse    = "pulse"
)

// Subject returns the subject for messages of the given kind from the worker with the identity id.
// "*" as kind or id stands for all kinds or all workers. At an embedded server no other worker can
// send on this subject. The subject of questions does not contain the run, because the worker does
// not know it yet. So a question reaches the hubs of all runs.
func (n Names) Subject(kind, id string) string {
	if kind == KindQuestion {
		return "dojo.hello." + id
	}
	return "dojo." + n.Run + "." + kind + "." + id
}

// State returns the subject on which the hub sends messages to all workers.
func (n Names) State() string { return "dojo." + n.Run + ".state" }

// Identity returns the text that stands for a worker's name in subjects: a part of the name's hash.
func Identity(worker string) string { return rundir.TextHash([]byte(worker))[:16] }

// IdentityIn returns the identity of the worker that sends on the given subject.
func IdentityIn(subject string) string { return subject[max(0, len(subject)-len(Identity(""))):] }

// Inboxes is the prefix of the subjects on which the hub answers requests.
const Inboxes = "_INBOX."

// Inbox returns the prefix of a worker's subjects for answers. Only the worker with the given name
// gets the messages on these subjects.
func Inbox(worker string) string { return Inboxes + Identity(worker) }
