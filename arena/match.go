package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"dojo/engine"
)

// Maker makes one of the players that a match needs: one for each worker.
type Maker func() Player

// Options is a match of A against B.
type Options struct {
	Game engine.Game
	A, B Maker

	// Games is even: each opening is played twice, sides swapped.
	Games int

	// Seed is where openings and players draw from, pair by pair.
	Seed uint64

	// OpeningPlies is the number of random actions before the players start.
	// An opening that ends the game, or in which a win is at hand, is drawn
	// again.
	OpeningPlies int

	Workers  int
	Progress func(done int, r Result) // after each pair, in order; may be nil
	Stop     func(r Result) bool      // after each pair, in order: ends the match early; may be nil
	Records  func(Record)             // each game, in order; may be nil
}

// Record is a game of a match.
type Record struct {
	Pair    int
	AFirst  bool
	Opening string   // the position after the random actions
	Actions []string // of the players
	Outcome engine.Outcome
	Forfeit error // how the loser lost, if not by the rules; nil otherwise
}

// Match plays a match. Its result depends on the seed and the players alone,
// not on the number of workers.
func Match(ctx context.Context, o Options) (Result, error) {
	if o.Games < 2 || o.Games%2 != 0 {
		return Result{}, fmt.Errorf("match: %d games are not an even number of at least 2", o.Games)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg   sync.WaitGroup
		next atomic.Int64
		t    = tally{opt: &o, pairs: make([][]Record, o.Games/2)}
	)
	for range max(1, o.Workers) {
		wg.Go(func() {
			players := [2]Player{o.A(), o.B()}
			for pair := int(next.Add(1)) - 1; pair < o.Games/2; pair = int(next.Add(1)) - 1 {
				records, err := playPair(ctx, &o, players, pair)
				if err != nil {
					cancel(fmt.Errorf("match: %w", err))
					return
				}
				if t.add(pair, records) {
					cancel(errStopped)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !t.stopped {
		return t.result, err
	}
	return t.result, nil
}

var errStopped = fmt.Errorf("stopped early")

// A tally takes finished pairs in any order and counts them in theirs.
type tally struct {
	opt *Options

	mu      sync.Mutex
	pairs   [][]Record // guarded by mu; finished, not yet counted
	counted int        // guarded by mu
	result  Result     // guarded by mu
	stopped bool       // guarded by mu; whatever comes now does not count
}

// add reports whether the match is to end.
func (t *tally) add(pair int, records []Record) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pairs[pair] = records
	for !t.stopped && t.counted < len(t.pairs) && t.pairs[t.counted] != nil {
		for _, r := range t.pairs[t.counted] {
			if t.opt.Records != nil {
				t.opt.Records(r)
			}
		}
		t.result.add(t.pairs[t.counted])
		t.pairs[t.counted] = []Record{}
		t.counted++
		if t.opt.Progress != nil {
			t.opt.Progress(2*t.counted, t.result)
		}
		t.stopped = t.opt.Stop != nil && t.opt.Stop(t.result)
	}
	return t.stopped
}

// playPair plays one opening twice, A first and then B first.
func playPair(ctx context.Context, o *Options, players [2]Player, pair int) ([]Record, error) {
	opening, err := open(o, pair)
	if err != nil {
		return nil, err
	}
	var records []Record
	for first := range 2 {
		r := Record{Pair: pair, AFirst: first == 0, Opening: opening.String()}
		for i, p := range players {
			p.NewGame(o.Seed ^ uint64(4*pair+2*first+i+1)*0x9e3779b97f4a7c15)
		}
		p := opening
		for p.Outcome() == engine.Ongoing {
			side := int(p.ToMove()) ^ first // 0 is A
			a, err := players[side].Choose(ctx, p)
			if f := (Forfeit{}); errors.As(err, &f) {
				r.Outcome, r.Forfeit = engine.WonBy(1-p.ToMove()), f
				break
			}
			if err != nil {
				return nil, fmt.Errorf("player %c: %w", 'A'+side, err)
			}
			if !legal(p, a) {
				return nil, fmt.Errorf("player %c answers %q with action %d, which is not legal", 'A'+side, p, a)
			}
			r.Actions = append(r.Actions, p.ActionString(a))
			p = p.Play(a)
		}
		if r.Forfeit == nil {
			r.Outcome = p.Outcome()
		}
		records = append(records, r)
	}
	return records, nil
}

func legal(p engine.Position, a engine.Action) bool {
	for _, l := range p.Legal(nil) {
		if l == a {
			return true
		}
	}
	return false
}

// open draws the opening of a pair.
func open(o *Options, pair int) (engine.Position, error) {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(pair)))
	const tries = 1000
	for range tries {
		p := o.Game.Start(rng)
		for i := 0; i < o.OpeningPlies && p.Outcome() == engine.Ongoing; i++ {
			legal := p.Legal(nil)
			p = p.Play(legal[rng.IntN(len(legal))])
		}
		if p.Outcome() == engine.Ongoing && !winsAtOnce(p) {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no opening of %d actions in %d tries leaves the game open", o.OpeningPlies, tries)
}
