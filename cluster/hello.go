package cluster

import (
	"fmt"
	"log/slog"
	"runtime"

	"dojo.example/internal/bounded"
	"dojo.example/internal/version"
	"dojo.example/model/kernel"
	"dojo.example/run"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A hello is a worker's request to be let in. The first has no proof: the answer has the
// run's configuration, from which the worker computes the proof for the second.
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

// A welcome is the hub's answer to a hello.
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

// hello receives and answers a worker's hello.
func (h *Hub) hello(msg *nats.Msg) {
	h.respond(msg, mustJSON(h.welcome(msg.Data)))
}

// welcome decides whether a worker is let in, and returns the answer to its hello, data.
func (h *Hub) welcome(data []byte) welcome {
	var who hello
	if len(data) > maxMessage || bounded.Unmarshal(data, &who) != nil || who.Worker == "" {
		level := slog.LevelDebug
		if !h.badHello.Swap(true) { // anybody may say hello: one line is enough
			level = slog.LevelWarn
		}
		h.opt.Log.Log(h.ctx, level, "a message that is no hello was dropped", "bytes", len(data))
		return welcome{Error: "this is no hello of a dojo worker"}
	}
	if who.Protocol == protocol && !signed(who.Key, who.message(), who.Signature) {
		return welcome{Error: "the signature is not that of the worker's key: use the same program"}
	}
	worker := identified(who.Worker, who.Key)
	h.roster.greet(worker)
	if why := h.isRefused(worker); why != "" {
		return welcome{Error: why}
	}
	w := welcome{Name: h.opt.Name, Run: h.names.run, Config: h.opt.Config, Once: h.opt.Once, Complete: h.complete.Load()}
	switch who.Proof {
	case "":
	case h.proof:
		w.Admitted = true
		h.roster.join(worker, who, "")
		h.opt.Log.Info("worker joined", "worker", worker, "program", who.Program, "system", who.System, "kernels", who.Kernels)
	default:
		what := "computes other bits than the trainer"
		if who.Protocol != protocol {
			what = "speaks another protocol than the trainer"
		}
		w.Error = fmt.Sprintf("dojo %s on %s with kernels %s %s, dojo %s: use the same program", who.Program, who.System, who.Kernels, what, version.String())
		h.roster.join(worker, who, "it "+what)
		h.opt.Log.Warn("worker refused: it "+what, "worker", worker, "program", who.Program, "system", who.System, "kernels", who.Kernels)
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

// isRefused returns the reason why a worker is refused under any of its names; "" if it is not.
func (h *Hub) isRefused(worker string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refused[run.KeyOf(worker)]
}

// refuse cuts a worker off: its results are dropped, its connections are closed, and it is
// not let in again.
func (h *Hub) refuse(worker, why string) {
	h.mu.Lock()
	h.refused[run.KeyOf(worker)] = why
	h.mu.Unlock()
	h.roster.update(worker, func(m *member) { m.Refused = why })
	if h.server == nil { // the hub cannot close connections there; the worker ends when it hears this
		h.broadcast(state{CutOff: worker, Why: why})
		return
	}
	err := disconnect(h.server, func(other string, _ *server.ConnInfo) bool { return run.KeyOf(other) == run.KeyOf(worker) })
	if err != nil {
		h.opt.Log.Debug("a connection was already closed", "worker", worker, "error", err)
	}
}

// cutOff refuses a worker from now on, because the result of entry e was wrong.
func (h *Hub) cutOff(e run.Entry) {
	h.opt.Log.Error("what a worker handed in is wrong, and it is cut off", "worker", e.Worker, "what", e.What(), "hash", e.Hash, "right", e.Right)
	h.refuse(e.Worker, whyCutOff(e))
}

// whyCutOff is the message to a worker that is cut off because of entry e.
func whyCutOff(e run.Entry) string {
	return fmt.Sprintf("%s, which %s handed in, is wrong: its computer makes mistakes, or its program is not ours", e.What(), e.Worker)
}
