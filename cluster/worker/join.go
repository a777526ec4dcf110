package worker

import (
	"context"
	"fmt"
	"runtime"

	"github.com/nats-io/nats.go"

	"dojo.example/cluster/wire"
	"dojo.example/internal/bounded"
	"dojo.example/internal/version"
	"dojo.example/model/kernel"
)

// requestAdmission asks which run the hub serves, and requests admission to that run. The error is
// ErrRefused if the hub does not admit the worker.
func (w *worker) requestAdmission(ctx context.Context, conn *nats.Conn) (entry wire.Welcome, err error) {
	entry, err = w.sendHello(ctx, conn, wire.Names{}.Subject(wire.KindQuestion, wire.Identity(w.name)), "")
	switch {
	case err != nil || entry.Complete:
		return entry, err
	case w.opt.Run != "" && w.opt.Run != entry.Name:
		return entry, fmt.Errorf("%w: its run is %q, not %q", ErrRefused, entry.Name, w.opt.Run)
	}
	return w.sayHello(ctx, conn, entry)
}

// sayHello computes the proof from the configuration of the run in entry, and says hello with the
// proof. The error is ErrRefused if the hub does not admit the worker, and an otherVersion if the
// worker's program is the reason.
func (w *worker) sayHello(ctx context.Context, conn *nats.Conn, entry wire.Welcome) (wire.Welcome, error) {
	proof, ok := w.proofs[entry.Config]
	if !ok {
		var err error
		if proof, err = Proof(ctx, entry.Config); err != nil {
			return entry, otherVersion{fmt.Errorf("%w: the run needs another version of dojo: %w", ErrRefused, err)}
		}
		w.proofs[entry.Config] = proof
	}
	entry, err := w.sendHello(ctx, conn, wire.Names{Run: entry.Run}.Subject(wire.KindHello, wire.Identity(w.name)), proof)
	if err == nil && !entry.Admitted && !entry.Complete {
		err = ErrRefused
	}
	return entry, err
}

// hello returns the worker's hello with the given proof. With the proof "", it is only a question.
func (w *worker) hello(proof string) wire.Hello {
	h := wire.Hello{
		Worker: w.opt.Name, Protocol: wire.Protocol, Program: version.String(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Kernels: kernel.Name() + ", in 8 bits " + kernel.QuantName(), Proof: proof,
	}
	h.Sign(w.opt.Key)
	return h
}

// sendHello sends the worker's hello on a subject, and returns the hub's answer.
func (w *worker) sendHello(ctx context.Context, conn *nats.Conn, subject, proof string) (entry wire.Welcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*w.opt.Times.Request)
	defer cancel()
	msg, err := conn.RequestWithContext(ctx, subject, wire.JSON(w.hello(proof)))
	if err != nil {
		return entry, fmt.Errorf("say hello: %w", wire.Unanswered(err))
	}
	if err := bounded.Unmarshal(msg.Data, &entry); err != nil {
		return entry, fmt.Errorf("cannot read the trainer's answer to hello: %w", err)
	}
	if entry.Error == "" {
		return entry, nil
	}
	err = fmt.Errorf("%w: %s", ErrRefused, entry.Error)
	if entry.Other {
		err = otherVersion{err}
	}
	return entry, err
}
