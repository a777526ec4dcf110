package worker

import (
	"context"

	"github.com/nats-io/nats.go"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
)

// send delivers the result of a task to the hub. content is the result, and lot is the id of the
// task's lot (batch of tasks).
func (s *session) send(ctx context.Context, lot string, number int, content []byte) error {
	r := wire.Result{Worker: s.worker.name, Lot: lot, Number: number, Hash: rundir.TextHash(content), Claim: s.worker.meter.take()}
	r.Sign(s.worker.opt.Key)
	data, err := s.request(ctx, wire.KindResult, nats.Header{wire.ResultHeader: {string(wire.JSON(r))}}, content)
	if err != nil {
		return err
	}
	var now wire.State
	if bounded.Unmarshal(data, &now) == nil {
		s.hear(now)
	}
	s.drop(number)
	return nil
}
