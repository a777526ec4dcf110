package hub

import (
	"context"
	"errors"
	"fmt"

	"dojo.example/cluster/wire"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/internal/balance"
	"dojo.example/internal/bounded"
	"dojo.example/internal/version"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/micro"
)

// maxText limits the number of characters that the hub stores of each text in a worker's hello.
// This program sends shorter texts.
const maxText = 60

// readHello reads a hello. It returns an error unless the worker that the hello names has signed it
// and has sent it on the worker's own subject. The hub does nothing for a worker before this check.
func readHello(r micro.Request) (who wire.Hello, err error) {
	switch {
	case len(r.Data()) > wire.MaxHeader || bounded.Unmarshal(r.Data(), &who) != nil || who.Worker == "":
		return who, errors.New("this is not the hello of a dojo worker")
	case !isFrom(r.Subject(), wire.Identified(who.Worker, who.Key)):
		return who, errors.New("the hello names another worker than the one that sent it")
	case !who.IsSigned():
		return who, errors.New("the hello is not signed with the worker's key: use the trainer's version of dojo")
	}
	who.Program, who.System, who.Kernels = wire.Shorten(who.Program, maxText), wire.Shorten(who.System, maxText), wire.Shorten(who.Kernels, maxText)
	return who, nil
}

// welcome returns the answer to a worker that asks which run the hub serves. The answer to a hello
// contains the same fields and a few more.
func (h *Hub) welcome() wire.Welcome {
	return wire.Welcome{
		Name: h.opt.Name, Run: h.names.Run, Config: h.opt.Config, Once: h.opt.Once, Complete: h.complete.Load(),
		Protocol: wire.Protocol, Program: version.String(), Load: balance.Load{Workers: h.roster.present(), Weight: h.opt.Weight, Free: h.free()},
	}
}

// checkUnique returns an error if another hub of the server serves this run. Two hubs with the same
// name and configuration would use the same subjects, and would answer each other's workers.
func (h *Hub) checkUnique(ctx context.Context) error {
	all, _ := wire.Survey(ctx, h.conn, wire.Hello{Worker: "trainer"}, h.opt.Times, 0) // fails if nobody answers
	for _, w := range all {
		if w.Run == h.names.Run && !w.Complete {
			return fmt.Errorf("another trainer serves run %q with the same settings at %s: stop it, or give this run another name or seed", h.opt.Name, h.Address())
		}
	}
	return nil
}

// onQuestion answers a worker that asks which run the hub serves. All workers get the same answer,
// and the hub stores nothing about the question, so it does not need to know who asks.
func (h *Hub) onQuestion(r micro.Request) {
	if h.comesTooOften(r) {
		return
	}
	w := h.welcome()
	if w.Complete {
		if who, err := readHello(r); err == nil { // greet it here: it will send no hello, because this answer says that the run is complete
			h.roster.greet(wire.Identified(who.Worker, who.Key))
		}
	}
	h.respond(r, wire.JSON(w))
}

// comesTooOften reports whether the hub drops a question or a hello because its sender has sent too
// many of them. A hub at an external server never drops one for this reason, because there anybody
// can send under the name of another worker.
func (h *Hub) comesTooOften(r micro.Request) bool {
	isMember, often := h.roster.countHello(wire.IdentityIn(r.Subject()))
	if !isMember {
		h.guests.Give()
	}
	if often = often && h.server != nil; often {
		h.drop(r.Subject(), "hello", fmt.Errorf("the worker sent more than %d hellos in %v", maxHellos, wire.HeartbeatInterval))
	}
	return often
}

// otherProtocol is the reason for refusing a worker that uses a different version of the protocol.
const otherProtocol = "uses another version of the protocol than the trainer"

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

// admit decides whether the hub admits a worker, and returns the answer to the worker's hello.
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
		what = "computes other results than the trainer"
	}
	w := h.welcome()
	if what == "" {
		w.Admitted = true
		if isNew := h.roster.join(worker, who); isNew {
			h.opt.Log.Info("worker joined", "worker", worker, "program", who.Program, "system", who.System, "kernels", who.Kernels)
		}
		return w
	}
	w.Other = true
	w.Error = fmt.Sprintf("dojo %s on %s with kernels %s %s (dojo %s): use the same version of dojo on both machines", who.Program, who.System, who.Kernels, what, version.String())
	h.roster.turnAway(worker, who, "it "+what)
	h.opt.Log.Warn("worker refused: it "+what, "worker", worker, "program", who.Program, "system", who.System, "kernels", who.Kernels)
	return w
}

// isRefused returns the reason why a worker is refused, or "" if it is not. The hub goes by the
// worker's key, so a new name does not help the worker.
func (h *Hub) isRefused(worker string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refused[rundir.KeyOf(worker)]
}

// refuse bans a worker: from now on, the hub drops its results, closes its connections and does not
// admit it again.
func (h *Hub) refuse(worker, why string) {
	h.mu.Lock()
	h.refused[rundir.KeyOf(worker)] = why
	h.mu.Unlock()
	h.roster.update(worker, func(m *member) { m.Refused = why })
	if h.server == nil { // the hub cannot close connections at an external server; the worker exits when it gets this message
		h.broadcast(wire.State{CutOff: worker, Why: why})
		return
	}
	err := disconnect(h.server, func(other string, _ *server.ConnInfo) bool { return rundir.KeyOf(other) == rundir.KeyOf(worker) })
	if err != nil {
		h.opt.Log.Debug("a connection was already closed", "worker", worker, "error", err)
	}
}

// A grudge is a reason for which the hub refuses the worker with the given key.
type grudge struct{ key, why string }

// refuseFor refuses a worker because of messages that it has sent. Such a refusal is not recorded
// in the ledger (the permanent list of wrong results). An attacker could use any number of keys and
// be refused under each of them. So if there are more than maxRoster such keys, the hub forgets the
// oldest one, and its worker may join again.
func (h *Hub) refuseFor(worker, why string) {
	h.refuse(worker, why)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forgivable = append(h.forgivable, grudge{rundir.KeyOf(worker), why})
	if len(h.forgivable) <= maxRoster {
		return
	}
	// The worker may have been banned for a wrong result since then; such a ban stays.
	if oldest := h.forgivable[0]; h.refused[oldest.key] == oldest.why {
		delete(h.refused, oldest.key)
	}
	h.forgivable = h.forgivable[1:]
}

// whyCutOff returns the message that tells a worker why it is banned. The entry e describes the
// worker's wrong result.
func whyCutOff(e audit.Entry) string {
	return fmt.Sprintf("%s from %s is wrong: the worker's computer makes mistakes, or its dojo was changed", e.What(), e.Worker)
}
