// Package selfplay lets a model play games against itself. A [Job] describes a generation of games
// and how they are played. The games are grouped into shards. [Shards] hands out the numbers of the
// shards to play, [Play] plays the games, and a [Sink] receives each finished shard.
//
// Play starts several workers, usually one for each core. A worker plays several games at the same
// time, one in each of its lanes. In every lane, a search proceeds until it needs the evaluation of
// a position. Then one batch evaluates the positions of all lanes (see package think). The workers
// share nothing but the dealer, which hands out games and collects the finished ones.
//
// The contents of a shard depend only on its job and its number, because each game has its own
// random stream, derived from the run's seed and the game's number. They depend neither on the
// number of workers and lanes, nor on the process or the machine, nor on which other shards are
// played there. A shard records the program version given in the job, even if another version plays
// it.
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

// gamesPerGeneration is the maximum number of games per generation. In a run, game i of generation
// g has the number g*gamesPerGeneration + i.
const gamesPerGeneration = 1_000_000

// GameNumber returns the number within the run of game i of a generation; see data.Row.Game.
func GameNumber(generation, i int) int64 {
	return int64(generation)*gamesPerGeneration + int64(i)
}

// Number converts a game's number within its run to its number within its generation.
func Number(game int64) int { return int(game % gamesPerGeneration) }

// Job describes a generation of games to play. Workers, Progress and Lanes do not affect the
// contents of the shards.
type Job struct {
	Config
	Search         mcts.Config
	Game           mcts.Game
	Evaluator      model.Evaluator
	Model          string // name of the evaluator, written into the rows
	Run            string // name of the run, written into the rows
	Generation     int
	Seed           uint64 // seed of the run
	ProgramVersion string // version of the program that created the job; written into the shards

	Workers  int
	Progress func(Totals) // called after every game; calls never overlap; may be nil
}

// Bytes returns the maximum memory that the job's search trees can need, in bytes.
func (j *Job) Bytes() int64 {
	return memory.Times(max(1, j.Workers)*j.Lanes, j.Game.Bytes(j.Search, j.Search.Simulations, true))
}

// CheckMemory returns an error if the job could need more memory than the process is allowed to
// use.
func (j *Job) CheckMemory() error {
	return memory.Check(j.Bytes(), "self-play of %d simulations in %d × %d games at a time", j.Search.Simulations, max(1, j.Workers), j.Lanes)
}

// provenance returns the information about a shard's origin that the shard contains.
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

// Shards is a function that returns the number of the next shard to play. ok is false if no shard
// is left. Play calls it whenever a worker needs a new shard. Calls never overlap.
type Shards func() (shard int, ok bool)

// Each returns a Shards function that hands out the given numbers.
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

// A Sink is a function that receives a finished shard. rows contains the rows of all games of the
// shard, in the order of the games' numbers. Several goroutines may call it at the same time.
type Sink func(p data.Provenance, rows []data.Row) error

// Totals counts the work done in a call of Play.
type Totals struct {
	Games       int // number of finished games
	Positions   int // number of positions in finished games
	Simulations int // number of simulations, including those of unfinished games
	Evaluations int // number of positions sent to the network
}

// Add adds the totals o to t.
func (t *Totals) Add(o Totals) {
	t.Games += o.Games
	t.Positions += o.Positions
	t.Simulations += o.Simulations
	t.Evaluations += o.Evaluations
}

// Minus subtracts earlier totals from t. The result is the work done in between.
func (t Totals) Minus(before Totals) Totals {
	return Totals{t.Games - before.Games, t.Positions - before.Positions, t.Simulations - before.Simulations, t.Evaluations - before.Evaluations}
}

// Play plays shards of the job until no shard is left. When the last game of a shard is finished,
// Play passes the shard to the sink. If ctx is cancelled, Play stops and returns the cause;
// unfinished shards are then lost.
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

// stream returns the random stream of the game with the given number within its run.
func stream(seed uint64, number int64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(number)))
}

// Start returns the start position of a game in the run with the given seed. The game's number is
// counted within the run, as in data.Row.Game.
func Start(game engine.Game, seed uint64, number int64) (engine.Position, error) {
	return game.Deal(stream(seed, number))
}

// A dealer hands out the games of the shards, one at a time, and collects the finished games until
// their shard is complete.
type dealer struct {
	job    *Job
	shards Shards
	sink   Sink

	dealing sync.Mutex // held during calls of shards, which may take long
	open    *shard     // the shard whose games are being handed out; guarded by dealing
	over    bool       // whether no shard is left; guarded by dealing

	mu     sync.Mutex
	totals Totals // guarded by mu
}

// shard (the type) holds a shard while its games are being played.
type shard struct {
	number int
	games  [][]data.Row // rows of the finished games, indexed by the game's place in the shard
	dealt  int          // number of games that have been handed out; guarded by dealer.dealing
	left   int          // number of games that are not finished; guarded by dealer.mu
}

// deal returns the next game to play, as its shard and its place in the shard. ok is false if no
// game is left.
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

// finish stores the rows of a finished game. If the game was the last of its shard, finish passes
// the shard to the sink.
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
