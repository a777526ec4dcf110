package cluster

import (
	"fmt"
	"runtime"

	"dojo/internal/bounded"
	"dojo/internal/version"
	"dojo/model/kernel"

	"github.com/nats-io/nats.go"
)

// A hello is a worker's request to be let in. The first has no proof: the answer has the
// run's configuration, from which the worker computes the proof for the second.
type hello struct {
	Worker  string `json:"worker"`  // its name
	Program string `json:"program"` // its version
	System  string `json:"system"`  // e.g. linux/arm64
	Kernels string `json:"kernels"` // the instruction sets in use
	Proof   string `json:"proof"`   // see Proof
}

// A welcome is the hub's answer to a hello.
type welcome struct {
	Error    string `json:"error,omitempty"`     // why the worker is refused
	Worker   string `json:"worker"`              // the name under which the worker connects again and sends results
	Name     string `json:"name"`                // the run's name
	Run      string `json:"run"`                 // the part of stream names that is the run's; see names
	Config   string `json:"config" text:"lines"` // the text of run.yaml
	Admitted bool   `json:"admitted"`            // the proof is right
	Once     bool   `json:"once"`                // HubOptions.Once
	Complete bool   `json:"complete"`            // there will be no more tasks
	Embedded bool   `json:"embedded"`            // the server is embedded in the hub: the worker connects again with Password
	Password string `json:"password,omitempty"`
}

// newHello returns the hello of this program for a worker of the given name.
func newHello(worker, proof string) hello {
	return hello{
		Worker: worker, Program: version.String(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Kernels: kernel.Name() + ", in 8 bits " + kernel.QuantName(), Proof: proof,
	}
}

// hello receives and answers a worker's hello.
func (h *Hub) hello(msg *nats.Msg) {
	answer := h.welcome(msg.Data)
	if err := msg.Respond(mustJSON(answer)); err != nil {
		h.opt.Log.Warn("a worker could not be answered", "error", err)
	}
}

// welcome decides whether a worker is let in, and returns the answer to its hello, data.
func (h *Hub) welcome(data []byte) welcome {
	var who hello
	if len(data) > maxMessage || bounded.Unmarshal(data, &who) != nil || who.Worker == "" {
		h.opt.Log.Warn("a message that is no hello was dropped", "bytes", len(data))
		return welcome{Error: "this is no hello of a dojo worker"}
	}
	worker := workerName(who.Worker)
	h.roster.greet(worker)
	if why := h.isRefused(worker); why != "" {
		return welcome{Error: why}
	}
	w := welcome{Worker: worker, Name: h.opt.Name, Run: h.names.run, Config: h.opt.Config, Embedded: h.server != nil, Once: h.opt.Once, Complete: h.complete.Load()}
	switch who.Proof {
	case "":
	case h.proof:
		password, err := h.gatekeeper.admit(worker)
		if err != nil {
			return welcome{Error: err.Error()}
		}
		w.Admitted, w.Password = true, password
		h.roster.join(worker, who, "")
		h.opt.Log.Info("worker joined", "worker", worker, "program", who.Program, "system", who.System, "kernels", who.Kernels)
	default:
		w.Error = fmt.Sprintf("dojo %s on %s with kernels %s computes other bits than the trainer, dojo %s: use the same program", who.Program, who.System, who.Kernels, version.String())
		h.roster.join(worker, who, "it computes other bits than the trainer")
		h.opt.Log.Warn("worker refused: it computes other bits", "worker", worker, "program", who.Program, "system", who.System, "kernels", who.Kernels)
	}
	return w
}

// workerName shortens a text that came from a worker, such as its name, to 80 characters.
func workerName(text string) string {
	const most = 80
	if name := []rune(text); len(name) > most {
		return string(name[:most]) + "…"
	}
	return text
}

// isRefused returns why a worker is no longer let in; "" if it is.
func (h *Hub) isRefused(worker string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refused[worker]
}

// refuse cuts a worker off: its results are dropped, its connections are closed, and it is
// not let in again.
func (h *Hub) refuse(worker, why string) {
	h.mu.Lock()
	h.refused[worker] = why
	h.mu.Unlock()
	h.roster.markRefused(worker, why)
	h.gatekeeper.expel(worker)
	if h.server == nil { // the hub cannot close connections there: the worker ends by itself
		if err := h.broadcast(state{CutOff: worker, Why: why}); err != nil {
			h.opt.Log.Warn("a worker could not be told that it is cut off", "worker", worker, "error", err)
		}
		return
	}
	if err := disconnect(h.server, worker); err != nil {
		h.opt.Log.Debug("a connection was already closed", "worker", worker, "error", err)
	}
}
