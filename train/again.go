package train

import "context"

// Refit trains the candidate of a committed generation again, from the trainer state of the
// one before it, and writes its model if the file is missing. program is the version that the
// model names.
func (r *Run) Refit(ctx context.Context, g int, program string) error {
	r.opt.ProgramVersion = program
	return r.fit(ctx, &Metrics{Generation: g, Player: r.done[g].Player})
}

// Regate plays the match of a committed generation again, and writes its games. It returns
// the name of the model that is the best after it.
func (r *Run) Regate(ctx context.Context, g int) (best string, err error) {
	m := Metrics{Generation: g}
	err = r.gate(ctx, &m)
	return m.Best, err
}

// Replay plays shards of a committed generation again and passes the content of each to note,
// by one goroutine at a time. program is the version that is written into the shards.
func (r *Run) Replay(ctx context.Context, g int, program string, shards []int, note func(shard int, content []byte)) error {
	r.opt.ProgramVersion = program
	return r.replayShards(ctx, g, shards, note)
}

// Again makes the next generation of a run that is made again. program is the version that made it.
func (r *Run) Again(ctx context.Context, program string) error {
	r.opt.ProgramVersion = program
	return r.Generation(ctx)
}
