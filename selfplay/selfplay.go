// Package selfplay plays games of a model against itself and publishes them
// as shards of rows. A worker owns a core and steps its lanes together: every
// lane looks for a leaf, one batch answers them all, and nothing is shared
// between workers but the hand-over of finished games.
//
// Game i of a generation draws from random stream i of the run's seed and
// from nothing else, so the shards do not depend on workers or lanes.
package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"dojo/data"
	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
)

// gamesPerGeneration spaces the game numbers of a run: game i of generation
// g is number g*gamesPerGeneration + i.
const gamesPerGeneration = 1_000_000

// Options is what one generation is given.
type Options struct {
	Config
	Search         mcts.Config
	Game           engine.Game
	NewSearch      func(mcts.Config) mcts.Search
	Evaluator      model.Evaluator
	Model          string // the evaluator's name, for the rows
	Root           string // the run's folder
	Run            string // the run's name, for the rows
	Generation     int
	Seed           uint64 // of the run
	ProgramVersion string
	Workers        int
	Progress       func(Totals) // after every game, serialised; may be nil
}

// Totals counts what a call of Run has done.
type Totals struct {
	Games       int // finished
	Positions   int // rows of finished games
	Simulations int // root visits added, unfinished games included
	Evaluations int // rows sent to the network
}

// Run plays the games of the generation whose shards are not yet published,
// and publishes each shard when its last game ends. Cancelling ctx ends it
// early: unfinished shards are lost, published ones are not.
func Run(ctx context.Context, opt Options) (Totals, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	c, err := newCollector(opt)
	if err != nil {
		return Totals{}, fmt.Errorf("selfplay: %w", err)
	}
	var (
		wg   sync.WaitGroup
		next atomic.Int64
	)
	for range max(1, opt.Workers) {
		wg.Go(func() {
			w := newWorker(&opt, c.finish, func() (int, bool) {
				i := int(next.Add(1)) - 1
				if i >= len(c.missing) {
					return 0, false
				}
				return c.missing[i], true
			})
			if err := w.run(ctx); err != nil {
				cancel(fmt.Errorf("selfplay: %w", err))
			}
			c.count(w.totals)
		})
	}
	wg.Wait()
	return c.totals, context.Cause(ctx)
}

// stream is the random source of game i of a generation.
func stream(seed uint64, generation, i int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(generation)*gamesPerGeneration+uint64(i)))
}

// A collector turns finished games into published shards.
type collector struct {
	opt     Options
	missing []int // games of unpublished shards, in order

	mu     sync.Mutex
	open   map[int][][]data.Row // guarded by mu; shard -> its games so far, by index
	left   map[int]int          // guarded by mu; shard -> games still to come
	totals Totals               // guarded by mu
}

func newCollector(opt Options) (*collector, error) {
	c := &collector{opt: opt, open: map[int][][]data.Row{}, left: map[int]int{}}
	shards, err := data.Shards(opt.Root)
	if err != nil {
		return nil, err
	}
	have := map[int]bool{}
	for _, s := range shards {
		if s.Generation == opt.Generation {
			have[s.Number] = true
		}
	}
	for i := range opt.Games {
		if !have[i/opt.ShardGames] {
			c.missing = append(c.missing, i)
		}
	}
	return c, nil
}

// count adds what a worker did besides finishing games.
func (c *collector) count(t Totals) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.totals.Simulations += t.Simulations
	c.totals.Evaluations += t.Evaluations
}

// finish takes the rows of game i and publishes its shard if it was the last.
func (c *collector) finish(i int, rows []data.Row) error {
	shard := i / c.opt.ShardGames
	games, complete := c.add(shard, i%c.opt.ShardGames, rows)
	if !complete {
		return nil
	}
	var all []data.Row
	for _, g := range games {
		all = append(all, g...)
	}
	p := data.Provenance{
		Game:           c.opt.Game.Name,
		SpecVersion:    c.opt.Game.Version,
		Run:            c.opt.Run,
		Generation:     c.opt.Generation,
		Shard:          shard,
		Seed:           c.opt.Seed,
		Model:          c.opt.Model,
		ProgramVersion: c.opt.ProgramVersion,
	}
	return data.WriteShard(data.ShardPath(c.opt.Root, c.opt.Generation, shard), p, all)
}

func (c *collector) add(shard, game int, rows []data.Row) (games [][]data.Row, complete bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[shard] == nil {
		c.open[shard] = make([][]data.Row, c.opt.ShardGames)
		c.left[shard] = c.opt.ShardGames
	}
	c.open[shard][game] = rows
	c.left[shard]--
	c.totals.Games++
	c.totals.Positions += len(rows)
	if c.opt.Progress != nil {
		c.opt.Progress(c.totals)
	}
	if c.left[shard] > 0 {
		return nil, false
	}
	games = c.open[shard]
	delete(c.open, shard)
	return games, true
}
