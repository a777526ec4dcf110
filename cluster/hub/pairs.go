package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"dojo.example/arena"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/audit"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// gate returns a train.GateSource: this process and workers play the pairs of games of a gate
// match, which decides whether the new model replaces the best one. Some of the workers' results
// are recomputed.
func (h *Hub) gate(opt *train.Options, config string) train.GateSource {
	return func(match arena.Options, generation int) (arena.Source, error) {
		var files [2][]byte
		names := [2]string{match.A.Player, match.B.Player}
		for i, name := range names {
			var err error
			if files[i], err = modelFile(opt.Folder, name); err != nil {
				return nil, fmt.Errorf("cluster: %w", err)
			}
		}
		l := wire.NewLot("gate", worker.RunSpec{Config: config, Generation: generation, Models: names}, files)
		return func(ctx context.Context, p *arena.Pairs, finish arena.Finish) error {
			// If a match was interrupted, all of its pairs are played again, so the ledger drops
			// its old entries.
			stale := opt.Ledger.Select(func(e audit.Entry) bool { return e.Gate && e.Generation == generation })
			if err := opt.Ledger.Drop(stale, func(audit.Entry) error { return nil }); err != nil {
				return fmt.Errorf("cluster: %w", err)
			}
			d := newMatch(l, files, p, finish)
			d.title = fmt.Sprintf("gate of generation %d", generation)
			d.audit = &audit.Audit{Ledger: opt.Ledger, Verified: h.opt.Verify, Generation: generation, Gate: true}
			_, err := h.do(ctx, d)
			return err
		}, nil
	}
}

// newMatch returns the dispatch of a match, but without a title. It sets no share of results to
// verify, so the hub recomputes a pair of games only if it has received two different results for
// it.
func newMatch(l wire.Lot, files [2][]byte, p *arena.Pairs, finish arena.Finish) *dispatch {
	return &dispatch{
		lot: l, files: files, leases: leases{ordered: p.Test != nil},
		store:    &pairStore{pairs: p, finish: finish, known: map[int][]byte{}},
		executor: worker.PlayPairs(p, p.Workers),
		audit:    &audit.Audit{Ledger: audit.NewLedger(), Gate: true},
	}
}

// A pairStore holds the results of a match in memory. A result holds a pair of games. The store
// passes each new pair to the match's arena.Finish, which counts the games.
type pairStore struct {
	pairs  *arena.Pairs
	finish arena.Finish

	mu      sync.Mutex
	known   map[int][]byte // the results by the number of the pair of games; guarded by mu
	decided bool           // the match is decided and needs no more pairs; guarded by mu
}

func (l *pairStore) missing() (all []int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := l.pairs.Skip; n < l.pairs.End() && !l.decided; n++ {
		if _, ok := l.known[n]; !ok && !l.pairs.Logged(n) {
			all = append(all, n)
		}
	}
	return all, nil
}

func (l *pairStore) Read(pair int) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if content, ok := l.known[pair]; ok {
		return content, nil
	}
	return nil, fs.ErrNotExist
}

func (l *pairStore) Write(pair int, content []byte) error {
	games, err := arena.DecodePair(pair, content)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if old, ok := l.known[pair]; ok {
		if !bytes.Equal(old, content) {
			return fmt.Errorf("this computer played pair %d wrongly, and the match has already counted its games: test the computer's memory and processor, and start again", pair)
		}
		return nil
	}
	l.known[pair] = content
	if l.decided {
		return nil
	}
	_, err = l.finish(pair, games)
	if errors.Is(err, arena.ErrEnough) {
		l.decided, err = true, nil
	}
	return err
}

func (l *pairStore) check(ctx context.Context, pair int, content []byte) (has selfplay.Totals, err error) {
	if pair < l.pairs.Skip || pair >= l.pairs.End() {
		return has, fmt.Errorf("the match has only pairs %d to %d", l.pairs.Skip, l.pairs.End()-1)
	}
	if most := 2 * l.pairs.Game.GameBytes(); len(content) > most {
		return has, fmt.Errorf("it has %d bytes, but a pair of games has at most %d", len(content), most)
	}
	games, err := arena.DecodePair(pair, content)
	if err != nil {
		return has, err
	}
	if err := l.pairs.Check(ctx, pair, games); err != nil {
		return has, err
	}
	if !bytes.Equal(arena.EncodePair(games), content) {
		return has, errors.New("its bytes are not those that this program writes for its games")
	}
	return worker.PairTotals(games), nil
}
