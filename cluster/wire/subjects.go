package wire

import (
	"crypto/rand"

	"dojo.example/data/rundir"
)

// Names builds the names of a run's subjects. All of them contain Run, except the subject of
// questions, so that several runs can share a server.
type Names struct{ Run string }

// NamesOf returns the names for a run, from its name and the text of its run.yaml. If once is true,
// no later process continues the work, and the names get a random part.
func NamesOf(name, config string, once bool) Names {
	if once {
		name += rand.Text()
	}
	return Names{rundir.TextHash([]byte(name + "\n" + config))[:12]}
}

// The kinds of messages that a worker sends to the hub.
const (
	KindQuestion = "question"
	KindHello    = "hello"
	KindNext     = "next"
	KindModel    = "model"
	KindResult   = "result"
	KindPulse    = "pulse"
)

// Subject returns the subject on which the worker with the given identity sends messages of a kind.
// A * for either of them stands for all workers or all kinds. An embedded server lets no other
// worker send there. A question asks which run there is, and goes to the hubs of all runs.
func (n Names) Subject(kind, id string) string {
	if kind == KindQuestion {
		return "dojo.hello." + id
	}
	return "dojo." + n.Run + "." + kind + "." + id
}

// State returns the subject on which the hub sends messages to all workers.
func (n Names) State() string { return "dojo." + n.Run + ".state" }

// Identity returns the string that represents the name of a worker in subjects.
func Identity(worker string) string { return rundir.TextHash([]byte(worker))[:16] }

// IdentityIn returns the identity of the worker that sends on a subject.
func IdentityIn(subject string) string { return subject[max(0, len(subject)-len(Identity(""))):] }

// Inboxes is the prefix of the subjects on which the hub answers requests.
const Inboxes = "_INBOX."

// Inbox returns the prefix of the subjects on which only the worker with the given name gets
// answers.
func Inbox(worker string) string { return Inboxes + Identity(worker) }
