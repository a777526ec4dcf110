// Package selfplay plays games of a model against itself: a [Job] says how,
// and [Play] plays shards of it into a [Sink]. A worker owns a core and steps
// its lanes together: every lane looks for a leaf, one batch answers them all,
// and nothing is shared between workers but the dealing of games and the
// hand-over of finished ones.
//
// A shard is a pure function of its job and its number. Game i of a generation
// draws from random stream i of the run's seed and from nothing else, so that a
// shard does not depend on the workers and lanes that play it, on the process
// or machine, or on which other shards are played there. The program's version
// that a shard carries is the job's, not that of the program that plays it.
package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"dojo/data"
	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
)

// gamesPerGeneration spaces the game numbers of a run: game i of generation
// g is number g*gamesPerGeneration + i.
const gamesPerGeneration = 1_000_000

// Job is a generation of games to be played. Its last two fields and Lanes
// change no shard.
type Job struct {
	Config
	Search         mcts.Config
	Game           engine.Game
	NewSearch      func(mcts.Config) mcts.Search
	Evaluator      model.Evaluator
	Model          string // the evaluator's name, for the rows
	Run            string // the run's name, for the rows
	Generation     int
	Seed           uint64 // of the run
	ProgramVersion string // of the program that made the job, for the shards

	Workers  int
	Progress func(Totals) // after every game, by one goroutine at a time; may be nil
}

// provenance is what a shard of the job says of itself.
func (j *Job) provenance(shard int) data.Provenance {
	return data.Provenance{
		Game:           j.Game.Name,
		SpecVersion:    j.Game.Version,
		Run:            j.Run,
		Generation:     j.Generation,
		Shard:          shard,
		Seed:           j.Seed,
		Model:          j.Model,
		ProgramVersion: j.ProgramVersion,
	}
}

// Shards hands out the numbers of shards to play, one a call, until there are
// no more. It is called when a worker is free, by one goroutine at a time.
type Shards func() (shard int, ok bool)

// Each hands out the given numbers.
func Each(numbers ...int) Shards {
	return func() (int, bool) {
		if len(numbers) == 0 {
			return 0, false
		}
		n := numbers[0]
		numbers = numbers[1:]
		return n, true
	}
}

// A Sink takes a finished shard: its rows are whole games in order of their
// numbers. It may be called by several goroutines at a time.
type Sink func(p data.Provenance, rows []data.Row) error

// Totals counts what a call of Play has done.
type Totals struct {
	Games       int // finished
	Positions   int // rows of finished games
	Simulations int // root visits added, unfinished games included
	Evaluations int // rows sent to the network
}

// Add adds what another call has done.
func (t *Totals) Add(o Totals) {
	t.Games += o.Games
	t.Positions += o.Positions
	t.Simulations += o.Simulations
	t.Evaluations += o.Evaluations
}

// Play plays shards of the job and gives each to the sink when its last game
// ends. Cancelling ctx ends it early: the sink does not see unfinished shards.
func Play(ctx context.Context, job Job, shards Shards, sink Sink) (Totals, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	c := &collector{job: &job, sink: sink, open: map[int]*openShard{}}
	d := &dealer{shards: shards, size: job.ShardGames}
	var wg sync.WaitGroup
	for range max(1, job.Workers) {
		wg.Go(func() {
			w := newWorker(&job, c.finish, d.deal)
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

// A dealer deals the games of shards, one at a time.
type dealer struct {
	size int // games in a shard

	mu     sync.Mutex
	shards Shards // guarded by mu
	next   int    // guarded by mu; the game to be dealt next
	left   int    // guarded by mu; games of the shard at hand still to be dealt
	over   bool   // guarded by mu
}

// deal returns the index of a game in its generation; false: none is left.
func (d *dealer) deal() (game int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left == 0 && !d.over {
		shard, ok := d.shards()
		d.next, d.left, d.over = shard*d.size, d.size, !ok
	}
	if d.over {
		return 0, false
	}
	game = d.next
	d.next++
	d.left--
	return game, true
}

// A collector puts finished games together to shards.
type collector struct {
	job  *Job
	sink Sink

	mu     sync.Mutex
	open   map[int]*openShard // guarded by mu; by number
	totals Totals             // guarded by mu
}

// An openShard has games that are not finished.
type openShard struct {
	games [][]data.Row // the finished ones, by their place in the shard
	left  int          // games still to come
}

// count adds what a worker did besides finishing games.
func (c *collector) count(t Totals) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.totals.Simulations += t.Simulations
	c.totals.Evaluations += t.Evaluations
}

// finish takes the rows of game i and hands on its shard if it was the last.
func (c *collector) finish(i int, rows []data.Row) error {
	shard := i / c.job.ShardGames
	games := c.add(shard, i%c.job.ShardGames, rows)
	if games == nil {
		return nil
	}
	return c.sink(c.job.provenance(shard), slices.Concat(games...))
}

// add returns the shard's games if they are now complete.
func (c *collector) add(shard, game int, rows []data.Row) [][]data.Row {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.open[shard]
	if s == nil {
		s = &openShard{make([][]data.Row, c.job.ShardGames), c.job.ShardGames}
		c.open[shard] = s
	}
	s.games[game] = rows
	s.left--
	c.totals.Games++
	c.totals.Positions += len(rows)
	if c.job.Progress != nil {
		c.job.Progress(c.totals)
	}
	if s.left > 0 {
		return nil
	}
	delete(c.open, shard)
	return s.games
}
