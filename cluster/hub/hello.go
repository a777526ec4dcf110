package hub

import (
	"errors"
	"fmt"

	"dojo.example/cluster/wire"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
	"dojo.example/internal/version"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/micro"
)

// maxText is the number of characters that are kept of what a worker says of itself, which is more than ours say.
const maxText = 60

// readHello reads a hello. The error is nil only if the worker that the hello names has signed it, and the hello came
// over the worker's own subject: nothing is done for a worker before that is known.
func readHello(r micro.Request) (who wire.Hello, err error) {
	switch {
	case len(r.Data()) > wire.MaxHeader || bounded.Unmarshal(r.Data(), &who) != nil || who.Worker == "":
		return who, errors.New("this is no hello of a dojo worker")
	case !isFrom(r.Subject(), wire.Identified(who.Worker, who.Key)):
		return who, errors.New("this is the hello of another worker")
	case !who.IsSigned():
		return who, errors.New("the signature is not that of the worker's key: use the same program")
	}
	who.Program, who.System, who.Kernels = wire.Shorten(who.Program, maxText), wire.Shorten(who.System, maxText), wire.Shorten(who.Kernels, maxText)
	return who, nil
}

// welcome is the answer to a hello without a verdict.
func (h *Hub) welcome() wire.Welcome {
	return wire.Welcome{Name: h.opt.Name, Run: h.names.Run, Config: h.opt.Config, Once: h.opt.Once, Complete: h.complete.Load()}
}

// onQuestion tells a worker which run there is. Everybody gets the same answer, and the hub keeps nothing of
// the question, so it need not know who asks.
func (h *Hub) onQuestion(r micro.Request) {
	if h.comesTooOften(r) {
		return
	}
	w := h.welcome()
	if w.Complete {
		if who, err := readHello(r); err == nil { // it says no hello any more
			h.roster.greet(wire.Identified(who.Worker, who.Key))
		}
	}
	h.respond(r, wire.JSON(w))
}

// comesTooOften reports whether a question or a hello is dropped because its sender has sent too many. That
// of somebody else would be delayed.
func (h *Hub) comesTooOften(r micro.Request) bool {
	isMember, often := h.roster.countHello(wire.IdentityIn(r.Subject()))
	if !isMember {
		h.guests.Give()
	}
	if often = often && h.server != nil; often {
		h.drop(r.Subject(), "hello", errors.New("it says hello again and again"))
	}
	return often
}

// otherProtocol says why a worker is refused that speaks another protocol.
const otherProtocol = "speaks another protocol than the trainer"

// onHello answers a worker's hello.
func (h *Hub) onHello(r micro.Request) {
	if h.comesTooOften(r) {
		return
	}
	who, err := readHello(r)
	if err != nil {
		h.drop(r.Subject(), "hello", err)
		h.respond(r, wire.JSON(wire.Welcome{Error: err.Error()}))
		return
	}
	h.respond(r, wire.JSON(h.admit(who)))
}

// admit decides whether a worker is let in, and returns the answer to its hello.
func (h *Hub) admit(who wire.Hello) wire.Welcome {
	worker := wire.Identified(who.Worker, who.Key)
	h.roster.greet(worker)
	if why := h.isRefused(worker); why != "" {
		return wire.Welcome{Error: why}
	}
	what := ""
	switch {
	case who.Protocol != wire.Protocol:
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
		h.broadcast(wire.State{CutOff: worker, Why: why})
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
func (h *Hub) cutOff(e audit.Entry) {
	h.opt.Log.Error("what a worker handed in is wrong, and it is cut off", "worker", e.Worker, "what", e.What(), "hash", e.Hash, "right", e.Right)
	h.refuse(e.Worker, whyCutOff(e))
}

// whyCutOff is the message to a worker that is cut off because of entry e.
func whyCutOff(e audit.Entry) string {
	return fmt.Sprintf("%s, which %s handed in, is wrong: its computer makes mistakes, or its program is not ours", e.What(), e.Worker)
}
