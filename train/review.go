package train

import (
	"context"
	"sync"

	"dojo.example/arena"
	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/selfplay"
)

// review computes again, in this process, what the ledger doubts, and notes in the ledger what is
// right and what is wrong. Who confirmed what is wrong is cut off like who handed it in, and what that
// worker handed in or confirmed is doubted too. What comes after the first generation of which
// something is wrong goes in any case, and is not computed.
func (r *Run) review(ctx context.Context) error {
	for {
		var unknown []rundir.Entry // of the first generation of which something is doubted
		all := r.ledger.Doubted()
		for _, e := range all {
			if e.Generation == all[0].Generation && e.Event != rundir.Wrong {
				unknown = append(unknown, e)
			}
		}
		if len(unknown) == 0 {
			return nil
		}
		hashes, err := r.recompute(ctx, unknown)
		if err != nil {
			return err
		}
		var found []rundir.Entry
		for _, e := range unknown {
			found = append(found, e.Judged(hashes[e.Place()])...)
		}
		if err := r.ledger.Append(found...); err != nil {
			return err
		}
	}
}

// recompute plays doubted shards and pairs of one generation again, and returns the SHA-256 of
// each.
func (r *Run) recompute(ctx context.Context, doubted []rundir.Entry) (hashes map[rundir.Place]string, err error) {
	g, numbers := doubted[0].Generation, map[bool][]int{} // by Place.Gate
	for _, e := range doubted {
		numbers[e.Gate] = append(numbers[e.Gate], e.Shard)
	}
	hashes = map[rundir.Place]string{}
	report := r.opt.Report.Stage(g, "verify", len(doubted))
	note := func(gate bool) func(int, []byte) {
		return func(n int, content []byte) {
			hashes[rundir.Place{Generation: g, Number: n, Gate: gate}] = rundir.TextHash(content)
			report(len(hashes), "")
		}
	}
	if err := r.replayShards(ctx, g, r.program(g), numbers[false], note(false)); err != nil {
		return nil, err
	}
	if err := r.replayPairs(ctx, g, numbers[true], note(true)); err != nil {
		return nil, err
	}
	return hashes, nil
}

// program returns the version of the program that made generation g. Of a generation that is not
// committed it is the version of this program.
func (r *Run) program(g int) string {
	if g < len(r.done) && r.done[g].Program != "" {
		return r.done[g].Program
	}
	return r.opt.ProgramVersion
}

// replayShards plays shards of generation g and passes their content to note. program is the version
// that the shards name.
func (r *Run) replayShards(ctx context.Context, g int, program string, numbers []int, note func(n int, content []byte)) error {
	if len(numbers) == 0 {
		return nil
	}
	job, err := r.opt.job(&Metrics{Generation: g, Player: r.opt.player(r.done, g), Program: program})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	_, err = selfplay.Play(ctx, job, selfplay.Each(numbers...), func(p data.Provenance, rows []data.Row) error {
		content, err := data.EncodeShard(p, rows)
		mu.Lock()
		defer mu.Unlock()
		note(p.Shard, content)
		return err
	})
	return err
}

// replayPairs plays pairs of the gate of generation g and passes their content to note.
func (r *Run) replayPairs(ctx context.Context, g int, numbers []int, note func(n int, content []byte)) error {
	if len(numbers) == 0 {
		return nil
	}
	match, err := r.opt.loadGate(g, r.opt.best(r.done[:g]))
	if err != nil {
		return err
	}
	pairs := arena.NewPairs(match)
	players := pairs.Players()
	for _, n := range numbers {
		games, err := pairs.Play(ctx, players, n)
		if err != nil {
			return err
		}
		note(n, arena.EncodePair(games))
	}
	return nil
}
