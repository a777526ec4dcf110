package cluster

import (
	"context"
	"math/rand/v2"

	"dojo/data"
	"dojo/model"
)

// ShardsSubject is where a worker sends its shards.
func ShardsSubject(run, worker string) string { return names{run}.shardsSubject(worker) }

// Lie is Work for a worker that sends other content than it should: what encode makes of
// a shard.
func Lie(ctx context.Context, opt WorkerOptions, encode func(data.Provenance, []data.Row) ([]byte, error)) error {
	w := &worker{opt: opt, encode: encode}
	return w.run(ctx)
}

// SetPicks makes the choice of the shards that are computed again one that a test knows.
func (h *Hub) SetPicks(picks rand.Source) { h.picks = picks }

// ProofOf is the Proof of a program with other evaluators.
func ProofOf(ctx context.Context, config string, evaluator func(model.Evaluator) model.Evaluator) (string, error) {
	return prove(ctx, config, evaluator)
}
