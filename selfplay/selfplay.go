// Package selfplay plays games of a model against itself. A [Job] is a generation of
// games and says how they are played. The games are grouped into shards: [Shards]
// hands out the numbers of shards to play, [Play] plays them, and a [Sink] takes each
// that is finished.
//
// Play starts the job's workers, usually one for each core. A worker plays several games
// side by side in its lanes: every lane looks for a position to evaluate, and one batch
// evaluates them all (see package think). Workers share nothing but the handing out of
// games and the collecting of finished ones.
//
// A shard is a pure function of its job and its number. Game i of a generation uses
// random stream i of the run's seed and nothing else, so that a shard does not depend
// on the workers and lanes that play it, on the process or machine, or on which other
// shards are played there. A shard names the program version of the job, even if
// another version plays it.
package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/internal/memory"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// gamesPerGeneration is the largest number of games in a generation: game i of
// generation g has number g*gamesPerGeneration + i in its run.
const gamesPerGeneration = 1_000_000

// GameNumber returns the number within the run, as data.Row.Game has it, of game i of a
// generation.
func GameNumber(generation, i int) int64 {
	return int64(generation)*gamesPerGeneration + int64(i)
}

// Number returns the number of a game within its generation; game is its number within the run.
func Number(game int64) int { return int(game % gamesPerGeneration) }

// Job is a generation of games to be played. Workers, Progress and Lanes change no
// shard.
type Job struct {
	Config
	Search         mcts.Config
	Game           mcts.Game
	Evaluator      model.Evaluator
	Model          string // the evaluator's name, for the rows
	Run            string // the run's name, for the rows
	Generation     int
	Seed           uint64 // of the run
	ProgramVersion string // of the program that made the job, for the shards

	Workers  int
	Progress func(Totals) // after every game, by one goroutine at a time; may be nil
}

// Bytes returns the most memory that the trees of the job's searches take.
func (j *Job) Bytes() int64 {
	return memory.Times(max(1, j.Workers)*j.Lanes, j.Game.Bytes(j.Search, j.Search.Simulations, true))
}

// CheckMemory returns an error if the process may not take the memory that the job can need.
func (j *Job) CheckMemory() error {
	return memory.Check(j.Bytes(), "self-play of %d simulations in %d × %d games at a time", j.Search.Simulations, max(1, j.Workers), j.Lanes)
}

// provenance is the description of origin that is written into a shard of the job.
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

// Shards returns the number of the next shard to play; ok is false when there are no
// more. It is called when a worker is free, by one goroutine at a time.
type Shards func() (shard int, ok bool)

// Each returns Shards that hands out the given numbers.
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

// A Sink receives a finished shard. The rows are those of all its games, in the order of the
// games' numbers. Several goroutines may call it at a time.
type Sink func(p data.Provenance, rows []data.Row) error

// Totals counts what a call of Play has done.
type Totals struct {
	Games       int // finished
	Positions   int // rows of finished games
	Simulations int // root visits added, unfinished games included
	Evaluations int // rows sent to the network
}

// Add adds the totals of another call.
func (t *Totals) Add(o Totals) {
	t.Games += o.Games
	t.Positions += o.Positions
	t.Simulations += o.Simulations
	t.Evaluations += o.Evaluations
}

// Minus returns what has been added to the totals since they were before.
func (t Totals) Minus(before Totals) Totals {
	return Totals{t.Games - before.Games, t.Positions - before.Positions, t.Simulations - before.Simulations, t.Evaluations - before.Evaluations}
}

// Play plays shards of the job until there are no more, and passes each to the sink when
// its last game has ended. If ctx ends, Play stops and returns the cause; unfinished shards
// are lost.
func Play(ctx context.Context, job Job, shards Shards, sink Sink) (Totals, error) {
	if err := job.CheckMemory(); err != nil {
		return Totals{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	d := &dealer{job: &job, shards: shards, sink: sink}
	var wg sync.WaitGroup
	for range max(1, job.Workers) {
		wg.Go(func() {
			w := newWorker(d)
			if err := w.run(ctx); err != nil {
				cancel(fmt.Errorf("selfplay: %w", err))
			}
			d.count(w.driver)
		})
	}
	wg.Wait()
	return d.totals, context.Cause(ctx)
}

// stream returns the random source of a game, of which number is that within the run.
func stream(seed uint64, number int64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(number)))
}

// Start returns the position in which a game of the run with the given seed begins; number
// is that of data.Row.Game.
func Start(game engine.Game, seed uint64, number int64) (engine.Position, error) {
	return game.Deal(stream(seed, number))
}

// A dealer hands out the games of shards, one at a time, and gathers those that are finished until
// their shard is complete.
type dealer struct {
	job    *Job
	shards Shards
	sink   Sink

	dealing sync.Mutex // held while a shard is asked for, which may take long
	open    *shard     // guarded by dealing; the shard whose games are handed out
	over    bool       // guarded by dealing; there are no more shards

	mu     sync.Mutex
	totals Totals // guarded by mu
}

// A shard is being played.
type shard struct {
	number int
	games  [][]data.Row // by their place in the shard
	dealt  int          // guarded by dealer.dealing; number of games handed out
	left   int          // guarded by dealer.mu; number of games that are not finished
}

// deal returns the next game, as its place in a shard; ok is false if none is left.
func (d *dealer) deal() (s *shard, place int, ok bool) {
	d.dealing.Lock()
	defer d.dealing.Unlock()
	if !d.over && (d.open == nil || d.open.dealt == d.job.ShardGames) {
		number, ok := d.shards()
		d.open, d.over = &shard{number: number, games: make([][]data.Row, d.job.ShardGames), left: d.job.ShardGames}, !ok
	}
	if d.over {
		return nil, 0, false
	}
	d.open.dealt++
	return d.open, d.open.dealt - 1, true
}

// finish receives the rows of a game, and passes its shard to the sink if this was the shard's
// last game.
func (d *dealer) finish(s *shard, place int, rows []data.Row) error {
	for _, r := range rows {
		if err := d.job.Game.CheckText(r.Position); err != nil {
			return err
		}
	}
	d.mu.Lock()
	s.games[place] = rows
	s.left--
	last := s.left == 0
	d.totals.Games++
	d.totals.Positions += len(rows)
	if d.job.Progress != nil {
		d.job.Progress(d.totals)
	}
	d.mu.Unlock()
	if !last {
		return nil
	}
	return d.sink(d.job.provenance(s.number), slices.Concat(s.games...))
}

// count adds a worker's simulations and evaluations to the totals.
func (d *dealer) count(driver *think.Driver) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.totals.Simulations += driver.Simulations
	d.totals.Evaluations += driver.Evaluations
}
