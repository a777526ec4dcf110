package train

import (
	"context"
	"sync"

	"dojo.example/arena"
	"dojo.example/data"
	"dojo.example/run"
	"dojo.example/selfplay"
)

// review computes again, in this process, what the ledger doubts. It returns what is right of
// that, and the rollback that undoes the rest; nil if all is right. Who confirmed what is wrong
// is cut off like who handed it in, and what that worker handed in or confirmed is doubted too.
// What comes after the first generation of which something is wrong goes in any case.
func (r *Run) review(ctx context.Context) (right []run.Entry, b *run.Rollback, err error) {
	var undo []run.Entry
	seen := map[run.Place]bool{}
	for {
		var doubted []run.Entry
		for _, e := range r.ledger.Doubted() {
			first := len(doubted) == 0 || e.Generation == doubted[0].Generation
			if first && !seen[e.Place()] && (b == nil || e.Generation <= b.Generation) {
				doubted = append(doubted, e)
			}
		}
		if len(doubted) == 0 {
			return right, b, nil
		}
		hashes, err := r.recompute(ctx, doubted)
		if err != nil {
			return nil, nil, err
		}
		var found []run.Entry
		for _, e := range doubted {
			seen[e.Place()] = true
			hash, ok := hashes[e.Place()]
			if hash == e.Hash {
				right = append(right, e)
				continue
			}
			undo = append(undo, e)
			if !ok { // it is known to be wrong
				continue
			}
			confirmer := e.By
			e.Event, e.By, e.Right = run.Wrong, run.Trainer, hash
			found = append(found, e)
			if confirmer != "" {
				e.Worker = confirmer
				found = append(found, e)
			}
		}
		if err := r.ledger.Append(found...); err != nil {
			return nil, nil, err
		}
		b = r.ledger.Undoing(undo)
	}
}

// recompute plays doubted shards and pairs of one generation again, and returns the SHA-256 of
// each. It leaves out what is known to be wrong.
func (r *Run) recompute(ctx context.Context, doubted []run.Entry) (hashes map[run.Place]string, err error) {
	g, numbers := doubted[0].Generation, map[bool][]int{} // by Place.Gate
	for _, e := range doubted {
		if e.Event != run.Wrong {
			numbers[e.Gate] = append(numbers[e.Gate], e.Shard)
		}
	}
	hashes = map[run.Place]string{}
	report := r.opt.Report.Stage(g, "verify", len(numbers[false])+len(numbers[true]))
	note := func(gate bool) func(int, []byte) {
		return func(n int, content []byte) {
			hashes[run.Place{Generation: g, Number: n, Gate: gate}] = run.TextHash(content)
			report(len(hashes), "")
		}
	}
	if err := r.replayShards(ctx, g, numbers[false], note(false)); err != nil {
		return nil, err
	}
	if err := r.replayPairs(ctx, g, numbers[true], note(true)); err != nil {
		return nil, err
	}
	return hashes, nil
}

// replayShards plays shards of generation g and passes their content to note.
func (r *Run) replayShards(ctx context.Context, g int, numbers []int, note func(n int, content []byte)) error {
	if len(numbers) == 0 {
		return nil
	}
	job, err := r.opt.job(&Metrics{Generation: g, Player: r.opt.player(r.done, g)})
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
