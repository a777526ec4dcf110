package train

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/internal/parallel"
	"dojo.example/model"
	"dojo.example/run"
	"dojo.example/selfplay"
)

// A sample is a row of a shard in the form in which it is trained on.
type sample struct {
	rows   *sampleRows // its input and its policy target are a row of these
	row    int
	value  float32 // the value target, in [-1, 1], for the player to move
	margin float32 // at the end of the game, in points, for the player to move
}

// target returns what a head learns from the sample; t is not TargetPolicy.
func (x *sample) target(t model.Target) float32 {
	switch t {
	case model.TargetOutcome:
		return x.value
	case model.TargetMargin:
		return x.margin
	}
	panic(fmt.Sprintf("train: target %d is not one number", t))
}

// A window holds the samples of the newest generations, on which the next is trained.
//
// A position takes 64 bytes, six for each legal action, and two for each active feature or
// six for each element of the planes that is not 0. With features that is 0.2 KB in Onitama,
// with the wall and in Ô ăn quan, 0.8 KB in Patchwork. A generation of 512 games of Onitama
// takes 3 MB. FitStats says how much a window takes; one that would take more than maxWindow
// is an error.
type window struct {
	game        engine.Game
	network     model.Network
	searchShare float32 // see Config.SearchValueShare
	expected    origin  // what the shards must have in common
	generations map[int]generation
	workers     int // number of goroutines that read
}

// A generation is the games that one generation played.
type generation struct {
	samples []sample
	rows    []*sampleRows // of samples, by shard
	stats   data.Summary
	late    float64           // share of positions late in the game
	probes  []engine.Position // the positions for DeepStats
}

func newWindow(game engine.Game, network model.Network, searchShare float32, expected origin) *window {
	return &window{game: game, network: network, searchShare: searchShare, expected: expected, generations: map[int]generation{}, workers: 1}
}

// slide makes the window hold generations first to last of the run in the
// folder and no others, and returns their samples in order. If ctx ends it returns the
// cause.
func (w *window) slide(ctx context.Context, f run.Folder, first, last int) ([]sample, error) {
	for g := range w.generations {
		if g < first || g > last {
			delete(w.generations, g)
		}
	}
	var samples []sample
	for g := first; g <= last; g++ {
		if _, ok := w.generations[g]; !ok {
			read, err := w.read(ctx, f, g)
			if err != nil {
				return nil, err
			}
			w.generations[g] = read
		}
		if err := w.checkMemory(first, g, maxWindow); err != nil {
			return nil, err
		}
		samples = append(samples, w.generations[g].samples...)
	}
	return samples, nil
}

// read turns the shards of generation g into samples. A generation without all of
// its shards is an error: fewer samples would train another model.
func (w *window) read(ctx context.Context, f run.Folder, g int) (generation, error) {
	missing, err := f.Missing(g, w.expected.shards)
	if err != nil {
		return generation{}, err
	}
	if n := len(missing); n > 0 {
		return generation{}, fmt.Errorf("%d of the %d shards of generation %d are missing, the first of them %s: without them the run would not be the same; put them back",
			n, w.expected.shards, g, f.Shard(g, missing[0]))
	}
	shards, err := f.ShardsOf(g)
	if err != nil {
		return generation{}, err
	}
	parts, errs := make([]shardPart, len(shards)), make([]error, len(shards))
	parallel.For(len(shards), w.workers, func(i int) { parts[i], errs[i] = w.readShard(ctx, shards[i]) })
	var all generation
	var rows []data.Row
	for i, p := range parts {
		if errs[i] != nil {
			return generation{}, errs[i]
		}
		rows = append(rows, p.rows...)
		all.samples = append(all.samples, p.samples...)
		all.rows = append(all.rows, p.input)
	}
	if len(rows) == 0 {
		return generation{}, fmt.Errorf("generation %d has no samples", g)
	}
	all.stats = data.Stats(rows)
	late := 0
	for _, p := range parts {
		late += p.late
	}
	all.late = float64(late) / float64(len(rows))
	for _, i := range probeIndices(len(rows)) {
		p, err := w.game.Parse(rows[i].Position)
		if err != nil {
			return generation{}, err
		}
		all.probes = append(all.probes, p)
	}
	return all, nil
}

// A shardPart is what one shard of a generation holds.
type shardPart struct {
	rows    []data.Row
	samples []sample
	input   *sampleRows // the rows of samples
	late    int         // number of rows late in the game
}

// readShard reads and checks a shard. It may be called for several at a time.
func (w *window) readShard(ctx context.Context, s run.Shard) (shardPart, error) {
	if ctx.Err() != nil {
		return shardPart{}, context.Cause(ctx)
	}
	h, rows, err := data.ReadShard(s.Path)
	if err != nil {
		return shardPart{}, err
	}
	if err := w.expected.check(w.game, h, s, rows); err != nil {
		return shardPart{}, fmt.Errorf("shard %s: %w", s.Path, err)
	}
	r := newReader(w)
	p := shardPart{rows: rows, samples: make([]sample, len(rows)), input: r.rows}
	for i, row := range rows {
		if ctx.Err() != nil { // a shard takes long to turn into samples
			return shardPart{}, context.Cause(ctx)
		}
		if p.samples[i], err = r.replay(row); err != nil {
			return shardPart{}, fmt.Errorf("shard %s: row %d: %w", s.Path, i, err)
		}
	}
	p.late = r.late
	r.rows.shrink()
	return p, nil
}

// An origin is what all shards of a run have in common. Other shards are refused.
type origin struct {
	run    string
	seed   uint64
	games  int  // in each shard
	shards int  // in each generation
	margin bool // the shards must have the column margin, because the network learns it
}

// check returns an error unless a shard is what its place in the run's folder, at,
// says that it is.
func (o *origin) check(game engine.Game, h data.Header, at run.Shard, rows []data.Row) error {
	games := 0
	for _, r := range rows {
		if int(r.Generation) != at.Generation || r.Run != h.Run || r.Model != h.Model {
			return fmt.Errorf("it has a row of run %s, generation %d, model %s", r.Run, r.Generation, r.Model)
		}
		if r.Ply == 0 {
			games++
		}
	}
	switch {
	case h.Game != game.Name || h.SpecVersion != game.Version:
		return fmt.Errorf("it is of %s version %d, not %s version %d", h.Game, h.SpecVersion, game.Name, game.Version)
	case h.Run != o.run:
		return fmt.Errorf("it is of run %s, not %s", h.Run, o.run)
	case h.Generation != at.Generation || h.Shard != at.Number:
		return fmt.Errorf("it is shard %d of generation %d, not %d of %d", h.Shard, h.Generation, at.Number, at.Generation)
	case h.Seed != o.seed:
		return fmt.Errorf("its games were played with seed %d, those of the run with %d", h.Seed, o.seed)
	case games != o.games:
		return fmt.Errorf("it has %d games, a shard of the run has %d", games, o.games)
	case o.misnumbered(at, rows):
		return fmt.Errorf("its games are not those of its place, which begin with number %d", selfplay.GameNumber(at.Generation, at.Number*o.games))
	case o.margin && slices.Contains(h.Lacks, "margin"):
		return errors.New("it lacks the column margin, which network.margin learns from")
	}
	return nil
}

// misnumbered reports whether the games of a shard are not the ones that its place asks for.
func (o *origin) misnumbered(at run.Shard, rows []data.Row) bool {
	next := selfplay.GameNumber(at.Generation, at.Number*o.games)
	for _, r := range rows {
		if r.Ply == 0 {
			if r.Game != next {
				return true
			}
			next++
		}
	}
	return false
}
