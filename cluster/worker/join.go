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

// requestAdmission asks which run the hub serves, computes the proof from the run's configuration,
// and says hello with the proof. The error is ErrRefused if the hub does not admit the worker.
func (w *worker) requestAdmission(ctx context.Context, conn *nats.Conn) (entry wire.Welcome, err error) {
	entry, err = w.sendHello(ctx, conn, wire.Names{}.Subject(wire.KindQuestion, wire.Identity(w.name)), "")
	if err != nil || entry.Complete {
		return entry, err
	}
	proof, err := Proof(ctx, entry.Config)
	if err != nil {
		return entry, fmt.Errorf("%w: the run needs another version of dojo: %w", ErrRefused, err)
	}
	if entry, err = w.sendHello(ctx, conn, wire.Names{Run: entry.Run}.Subject(wire.KindHello, wire.Identity(w.name)), proof); err == nil && !entry.Admitted && !entry.Complete {
		err = ErrRefused
	}
	return entry, err
}

// sendHello sends a hello with the given proof on a subject, and returns the hub's answer. With the
// proof "", the hello is only a question.
func (w *worker) sendHello(ctx context.Context, conn *nats.Conn, subject, proof string) (entry wire.Welcome, err error) {
	h := wire.Hello{
		Worker: w.opt.Name, Protocol: wire.Protocol, Program: version.String(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Kernels: kernel.Name() + ", in 8 bits " + kernel.QuantName(), Proof: proof,
	}
	h.Sign(w.opt.Key)
	ctx, cancel := context.WithTimeout(ctx, 2*w.opt.Times.Request)
	defer cancel()
	msg, err := conn.RequestWithContext(ctx, subject, wire.JSON(h))
	if err != nil {
		return entry, fmt.Errorf("say hello: %w", wire.Unanswered(err))
	}
	if err := bounded.Unmarshal(msg.Data, &entry); err != nil {
		return entry, fmt.Errorf("cannot read the trainer's answer to hello: %w", err)
	}
	if entry.Error != "" {
		return entry, fmt.Errorf("%w: %s", ErrRefused, entry.Error)
	}
	return entry, nil
}
