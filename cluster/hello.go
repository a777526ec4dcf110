package cluster

import (
	"encoding/json"
	"fmt"
	"runtime"

	"dojo/internal/version"
	"dojo/model/kernel"

	"github.com/nats-io/nats.go"
)

// A hello is what a worker says to be let in: first without a proof, to learn the run's
// configuration, then with one.
type hello struct {
	Worker  string `json:"worker"`  // its name
	Program string `json:"program"` // its version
	System  string `json:"system"`  // e.g. linux/arm64
	Kernels string `json:"kernels"` // the instruction sets in use
	Proof   string `json:"proof"`   // see Proof
}

// A welcome is the hub's answer.
type welcome struct {
	Error    string `json:"error,omitempty"` // why the worker is refused
	Worker   string `json:"worker"`          // the worker's name, under which it connects again and sends results
	Name     string `json:"name"`            // the run's
	Run      string `json:"run"`             // its streams; see names
	Config   string `json:"config"`          // the text of run.yaml
	Admitted bool   `json:"admitted"`        // the proof is right
	Once     bool   `json:"once"`            // nobody goes on with the work when this hub is gone
	Complete bool   `json:"complete"`        // there will be no more tasks
	Embedded bool   `json:"embedded"`        // the server is the hub's: the worker connects again with the password
	Password string `json:"password,omitempty"`
}

// newHello introduces this program.
func newHello(worker, proof string) hello {
	return hello{
		Worker: worker, Program: version.String(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Kernels: kernel.Name() + ", in 8 bits " + kernel.QuantName(), Proof: proof,
	}
}

// hello answers a worker that asks to be let in.
func (h *Hub) hello(msg *nats.Msg) {
	answer := h.welcome(msg.Data)
	if err := msg.Respond(mustJSON(answer)); err != nil {
		h.opt.Log.Warn("a worker could not be answered", "error", err)
	}
}

// welcome decides about a worker.
func (h *Hub) welcome(data []byte) welcome {
	var who hello
	if len(data) > maxMessage || json.Unmarshal(data, &who) != nil || who.Worker == "" {
		h.opt.Log.Warn("a message that is no hello was dropped", "bytes", len(data))
		return welcome{Error: "this is no hello of a dojo worker"}
	}
	worker := workerName(who.Worker)
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
		h.crew.joined(worker, who, "")
		h.opt.Log.Info("worker joined", "worker", worker, "program", who.Program, "system", who.System, "kernels", who.Kernels)
	default:
		w.Error = fmt.Sprintf("dojo %s on %s with kernels %s computes other bits than the trainer, dojo %s: use the same program", who.Program, who.System, who.Kernels, version.String())
		h.crew.joined(worker, who, "it computes other bits than the trainer")
		h.opt.Log.Warn("worker refused: it computes other bits", "worker", worker, "program", who.Program, "system", who.System, "kernels", who.Kernels)
	}
	return w
}

// workerName is a name that a stranger gave himself, as short as a name should be.
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

// refuse takes no more results of a worker, closes its connections and does not let it in
// again.
func (h *Hub) refuse(worker, why string) {
	h.mu.Lock()
	h.refused[worker] = why
	h.mu.Unlock()
	h.crew.refused(worker, why)
	h.gatekeeper.expel(worker)
	if h.server == nil { // which does not know its connections: the program itself must go
		if err := h.tell(state{CutOff: worker, Why: why}); err != nil {
			h.opt.Log.Warn("a worker could not be told that it is cut off", "worker", worker, "error", err)
		}
		return
	}
	if err := disconnect(h.server, worker); err != nil {
		h.opt.Log.Debug("a connection was already closed", "worker", worker, "error", err)
	}
}
