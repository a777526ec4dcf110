package cluster

import (
	"errors"
	"fmt"
	"runtime"

	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
	"dojo.example/internal/version"
	"dojo.example/model/kernel"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A hello is a worker's request to be let in. The worker sends it first as a question, without the proof.
// The answer has the run's configuration, from which the worker computes the proof for its hello.
type hello struct {
	Worker   string `json:"worker"`   // its name
	Protocol int    `json:"protocol"` // see protocol
	Program  string `json:"program"`  // its version
	System   string `json:"system"`   // e.g. linux/arm64
	Kernels  string `json:"kernels"`  // the instruction sets in use
	Proof    string `json:"proof"`    // see Proof
	Key      string `json:"key"`      // its public key

	// Signature is the worker's, of the hello without it.
	Signature string `json:"signature"`
}

// message is what the signature of a hello is of.
func (h hello) message() []byte {
	h.Signature = ""
	return mustJSON(h)
}

// A welcome is the hub's answer to a question or a hello.
type welcome struct {
	Error    string `json:"error,omitempty"`     // why the worker is refused
	Name     string `json:"name"`                // the run's name
	Run      string `json:"run"`                 // the part of stream names that is the run's; see names
	Config   string `json:"config" text:"lines"` // the text of run.yaml
	Admitted bool   `json:"admitted"`            // the proof is right
	Once     bool   `json:"once"`                // HubOptions.Once
	Complete bool   `json:"complete"`            // there will be no more tasks
}

// newHello returns the hello of this program for a worker of the given name.
func newHello(worker, proof string, key Key) hello {
	h := hello{
		Worker: worker, Key: key.public(), Protocol: protocol, Program: version.String(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Kernels: kernel.Name() + ", in 8 bits " + kernel.QuantName(), Proof: proof,
	}
	h.Signature = key.sign(h.message())
	return h
}

// maxText is the number of characters that are kept of what a worker says of itself, which is more than ours say.
const maxText = 60

// readHello reads a hello. The error is nil only if the worker that the hello names has signed it, and the hello came
// over the worker's own subject: nothing is done for a worker before that is known.
func readHello(msg *nats.Msg) (who hello, err error) {
	switch {
	case len(msg.Data) > maxHeader || bounded.Unmarshal(msg.Data, &who) != nil || who.Worker == "":
		return who, errors.New("this is no hello of a dojo worker")
	case !isFrom(msg, identified(who.Worker, who.Key)):
		return who, errors.New("this is the hello of another worker")
	case !signed(who.Key, who.message(), who.Signature):
		return who, errors.New("the signature is not that of the worker's key: use the same program")
	}
	who.Program, who.System, who.Kernels = shorten(who.Program, maxText), shorten(who.System, maxText), shorten(who.Kernels, maxText)
	return who, nil
}

// welcome is the answer to a hello without a verdict.
func (h *Hub) welcome() welcome {
	return welcome{Name: h.opt.Name, Run: h.names.run, Config: h.opt.Config, Once: h.opt.Once, Complete: h.complete.Load()}
}

// onQuestion returns the handler of questions. Everybody gets the same answer, which is made once, and the
// hub keeps nothing of them, so it need not know who asks.
func (h *Hub) onQuestion() nats.MsgHandler {
	w := h.welcome()
	answer := mustJSON(w)
	w.Complete = true
	farewell := mustJSON(w)
	return func(msg *nats.Msg) {
		switch {
		case h.comesTooOften(msg):
		case !h.complete.Load():
			h.respond(msg, answer)
		default:
			if who, err := readHello(msg); err == nil { // it says no hello any more
				h.roster.greet(identified(who.Worker, who.Key))
			}
			h.respond(msg, farewell)
		}
	}
}

// comesTooOften reports whether a question or a hello is dropped because its sender has sent too many. That
// of somebody else would be delayed.
func (h *Hub) comesTooOften(msg *nats.Msg) bool {
	isMember, often := h.roster.countHello(idOf(msg))
	if !isMember {
		h.guests.give()
	}
	if often = often && h.server != nil; often {
		h.drop(msg, "hello", errors.New("it says hello again and again"))
	}
	return often
}

// otherProtocol says why a worker is refused that speaks another protocol.
const otherProtocol = "speaks another protocol than the trainer"

// onHello answers a worker's hello.
func (h *Hub) onHello(msg *nats.Msg) {
	if h.comesTooOften(msg) {
		return
	}
	who, err := readHello(msg)
	if err != nil {
		h.drop(msg, "hello", err)
		h.respond(msg, mustJSON(welcome{Error: err.Error()}))
		return
	}
	h.respond(msg, mustJSON(h.admit(who)))
}

// admit decides whether a worker is let in, and returns the answer to its hello.
func (h *Hub) admit(who hello) welcome {
	worker := identified(who.Worker, who.Key)
	h.roster.greet(worker)
	if why := h.isRefused(worker); why != "" {
		return welcome{Error: why}
	}
	what := ""
	switch {
	case who.Protocol != protocol:
		what = otherProtocol
	case who.Proof != h.proof:
		what = "computes other bits than the trainer"
	}
	w := h.welcome()
	if what == "" {
		w.Admitted = true
		if isNew := h.roster.join(worker, who); isNew {
			h.opt.Log.Info("worker joined", "worker", worker, "program", who.Program, "system", who.System, "kernels", who.Kernels)
		}
		return w
	}
	w.Error = fmt.Sprintf("dojo %s on %s with kernels %s %s, dojo %s: use the same program", who.Program, who.System, who.Kernels, what, version.String())
	h.roster.turnAway(worker, who, "it "+what)
	h.opt.Log.Warn("worker refused: it "+what, "worker", worker, "program", who.Program, "system", who.System, "kernels", who.Kernels)
	return w
}

// workerName shortens the name of a worker to 80 characters.
func workerName(text string) string { return shorten(text, 80) }

// shorten shortens a text that came from a worker to so many characters.
func shorten(text string, most int) string {
	if name := []rune(text); len(name) > most {
		return string(name[:most]) + "…"
	}
	return text
}

// isRefused returns the reason why a worker is refused under any of its names; "" if it is not.
func (h *Hub) isRefused(worker string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refused[rundir.KeyOf(worker)]
}

// refuse cuts a worker off: its results are dropped, its connections are closed, and it is
// not let in again.
func (h *Hub) refuse(worker, why string) {
	h.mu.Lock()
	h.refused[rundir.KeyOf(worker)] = why
	h.mu.Unlock()
	h.roster.update(worker, func(m *member) { m.Refused = why })
	if h.server == nil { // the hub cannot close connections there; the worker ends when it hears this
		h.broadcast(state{CutOff: worker, Why: why})
		return
	}
	err := disconnect(h.server, func(other string, _ *server.ConnInfo) bool { return rundir.KeyOf(other) == rundir.KeyOf(worker) })
	if err != nil {
		h.opt.Log.Debug("a connection was already closed", "worker", worker, "error", err)
	}
}

// A grudge is why a worker with a key is refused.
type grudge struct{ key, why string }

// refuseFor refuses a worker for what it has sent, which is not in the ledger. A program can be refused so any number
// of times, with a new key each time. So when there are more than maxRoster such keys, the oldest may come again.
func (h *Hub) refuseFor(worker, why string) {
	h.refuse(worker, why)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forgivable = append(h.forgivable, grudge{rundir.KeyOf(worker), why})
	if len(h.forgivable) <= maxRoster {
		return
	}
	if oldest := h.forgivable[0]; h.refused[oldest.key] == oldest.why { // and not because of the ledger since
		delete(h.refused, oldest.key)
	}
	h.forgivable = h.forgivable[1:]
}

// cutOff refuses a worker from now on, because the result of entry e was wrong.
func (h *Hub) cutOff(e rundir.Entry) {
	h.opt.Log.Error("what a worker handed in is wrong, and it is cut off", "worker", e.Worker, "what", e.What(), "hash", e.Hash, "right", e.Right)
	h.refuse(e.Worker, whyCutOff(e))
}

// whyCutOff is the message to a worker that is cut off because of entry e.
func whyCutOff(e rundir.Entry) string {
	return fmt.Sprintf("%s, which %s handed in, is wrong: its computer makes mistakes, or its program is not ours", e.What(), e.Worker)
}
