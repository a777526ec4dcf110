package worker

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
)

// send delivers the result of a task to the hub. content is the result, and lot is the id of the
// task's lot (batch of tasks).
func (s *session) send(ctx context.Context, lot string, number int, content []byte) error {
	if len(content) > wire.MaxResult {
		return fmt.Errorf("%w: the result of a task has %d bytes, but it may have at most %d: the run needs smaller shards (selfplay.shard_games)", ErrRefused, len(content), wire.MaxResult)
	}
	r := wire.Result{Worker: s.worker.name, Lot: lot, Number: number, Hash: rundir.TextHash(content), Claim: s.worker.meter.take()}
	var err error
	if len(content) <= wire.PieceSize {
		_, err = s.sendPiece(ctx, r, content)
	} else {
		err = s.sendPieces(ctx, r, content)
	}
	if err == nil {
		s.drop(number)
	}
	return err
}

// sendPieces sends a result in pieces. The hub keeps the pieces of only one result of a worker, so
// another goroutine that has a result waits.
func (s *session) sendPieces(ctx context.Context, r wire.Result, content []byte) (err error) {
	s.sending.Lock()
	defer s.sending.Unlock()
	for r.Size = len(content); r.From < r.Size; {
		piece := content[r.From:min(r.From+wire.PieceSize, r.Size)]
		r.Sum = rundir.TextHash(piece)
		if r.From, err = s.sendPiece(ctx, r, piece); err != nil {
			return err
		}
	}
	return nil
}

// sendPiece sends a result or a piece of one, and returns how many bytes of the result the hub has.
func (s *session) sendPiece(ctx context.Context, r wire.Result, piece []byte) (have int, err error) {
	r.Sign(s.worker.opt.Key)
	data, err := s.request(ctx, wire.KindResult, nats.Header{wire.ResultHeader: {string(wire.JSON(r))}}, piece)
	if err != nil {
		return 0, err
	}
	var now wire.State
	if bounded.Unmarshal(data, &now) != nil { // the answer was damaged on its way
		return r.From, nil
	}
	s.hear(now)
	if now.Have < 0 || now.Have < r.Size && now.Have%wire.PieceSize != 0 {
		return r.From, nil
	}
	return now.Have, nil
}
