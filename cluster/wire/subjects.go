package wire

import (
	"crypto/rand"

	"dojo.example/data/rundir"
)

// Names builds the names of a run's subjects, all of which contain Run, so that several runs
// can share a server.
type Names struct{ Run string }

// NamesOf returns the names for the run with the given name and text of run.yaml. With
// once, the work is not continued by a later process, and the names get a random part.
func NamesOf(name, config string, once bool) Names {
	if once {
		name += rand.Text()
	}
	return Names{rundir.TextHash([]byte(name + "\n" + config))[:12]}
}

// The kinds of a worker's messages to the hub.
const (
	KindQuestion = "question"
	KindHello    = "hello"
	KindNext     = "next"
	KindModel    = "model"
	KindResult   = "result"
	KindPulse    = "pulse"
)

// Subject is where the worker with an identity sends messages of a kind; * stands for all
// workers or kinds. At an embedded server nobody else may send there. A question, which run there is,
// goes to the hubs of all runs.
func (n Names) Subject(kind, id string) string {
	if kind == KindQuestion {
		return "dojo.hello." + id
	}
	return "dojo." + n.Run + "." + kind + "." + id
}

// State is where the hub speaks to all workers.
func (n Names) State() string { return "dojo." + n.Run + ".state" }

// Identity stands for a worker's name in subjects.
func Identity(worker string) string { return rundir.TextHash([]byte(worker))[:16] }

// IdentityIn returns the identity of the worker that sends on a subject.
func IdentityIn(subject string) string { return subject[max(0, len(subject)-len(Identity(""))):] }

// Inboxes begins the subjects on which the hub answers requests.
const Inboxes = "_INBOX."

// Inbox returns the beginning of the subjects on which the worker with a name gets answers, and nobody else.
func Inbox(worker string) string { return Inboxes + Identity(worker) }
