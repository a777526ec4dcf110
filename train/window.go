package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"dojo/data"
	"dojo/engine"
	"dojo/internal/parallel"
	"dojo/model"
	"dojo/model/graph"
	"dojo/run"
	"dojo/selfplay"
)

// A sample is a row of a shard made ready to be trained on. It has a position and a
// policy, or, for a network that reads lists, a row of lists.
type sample struct {
	position engine.Position
	policy   []data.Weight
	listed   *listed // nil if the network reads planes
	row      int     // in listed
	value    float32 // the value target, in [-1, 1], for the player to move
	margin   float32 // at the end of the game, in points, for the player to move
	turns    float32 // actions from here to the end of the game
	weight   float32 // how often it is drawn, on average, in as many draws as there are samples; 0 if all are drawn alike
}

// target returns what a head learns from the sample; t is not TargetPolicy.
func (x *sample) target(t model.Target) float32 {
	switch t {
	case model.TargetOutcome:
		return x.value
	case model.TargetMargin:
		return x.margin
	case model.TargetTurnsLeft:
		return x.turns
	}
	panic(fmt.Sprintf("train: target %d is not one number", t))
}

// A window holds the samples of the newest generations, on which the next is trained.
//
// For a network that reads lists, a position takes 160 bytes, two for each active feature
// and six for each legal action: 0.3 KB in Onitama, with the wall and in Ô ăn quan, 1 KB
// in Patchwork. A generation of 512 games of Onitama takes 5 MB. FitStats says how much a
// window takes; one that would take more than maxWindow is an error.
type window struct {
	game          engine.Game
	searchShare   float32 // see Config.SearchValueShare
	surpriseShare float32 // see Config.SurpriseShare
	expected      origin  // what the shards must have in common
	generations   map[int]generation
	lists         bool // samples are rows of lists
	workers       int  // number of goroutines that read
}

// A generation is the games that one generation played.
type generation struct {
	samples []sample
	listed  []*listed // the rows of samples, by shard, if they are lists
	stats   data.Summary
	late    float64           // share of positions late in the game
	probes  []engine.Position // some of them; see probes

	surprises []byte // the list of starts that come from it; see selfplay.Surprises
}

func newWindow(game engine.Game, searchShare float32, expected origin) *window {
	return &window{game: game, searchShare: searchShare, expected: expected, generations: map[int]generation{}, workers: 1}
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
	missing, err := f.Missing(g, w.expected.selfplay.Shards())
	if err != nil {
		return generation{}, err
	}
	if n := len(missing); n > 0 {
		return generation{}, fmt.Errorf("%d of the %d shards of generation %d are missing, the first of them %s: without them the run would not be the same; put them back",
			n, w.expected.selfplay.Shards(), g, f.Shard(g, missing[0]))
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
		all.listed = append(all.listed, p.listed)
	}
	if len(rows) == 0 {
		return generation{}, fmt.Errorf("generation %d has no samples", g)
	}
	if w.surpriseShare > 0 {
		weigh(all.samples, rows, w.surpriseShare)
	}
	all.stats = data.Stats(rows)
	late := 0
	for _, p := range parts {
		late += p.late
	}
	all.late = float64(late) / float64(len(rows))
	if all.surprises, err = selfplay.Surprises(rows, w.expected.selfplay.RestartedGames()); err != nil {
		return generation{}, err
	}
	for _, i := range probes(len(rows)) {
		p, err := w.game.Parse(rows[i].Position)
		if err != nil {
			return generation{}, err
		}
		all.probes = append(all.probes, p)
	}
	return all, nil
}

// weigh sets the weights of the samples of a generation, made of rows; see
// Config.SurpriseShare. Their mean is 1.
func weigh(samples []sample, rows []data.Row, share float32) {
	var sum float64
	for _, r := range rows {
		sum += float64(r.Divergence)
	}
	for i, r := range rows {
		samples[i].weight = 1
		if sum > 0 {
			ofSum := float32(float64(r.Divergence) / sum * float64(len(rows)))
			samples[i].weight = 1 - share + float32(share*ofSum)
		}
	}
}

// A shardPart is what one shard of a generation holds.
type shardPart struct {
	rows    []data.Row
	samples []sample
	listed  *listed // the rows of samples, if they are lists
	late    int     // number of rows late in the game
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
	p := shardPart{rows: rows, samples: make([]sample, len(rows)), listed: r.listed}
	for i, row := range rows {
		if ctx.Err() != nil { // a shard takes long to turn into samples
			return shardPart{}, context.Cause(ctx)
		}
		if p.samples[i], err = r.sample(row); err != nil {
			return shardPart{}, fmt.Errorf("shard %s: row %d: %w", s.Path, i, err)
		}
	}
	p.late = r.late
	r.listed.Shrink()
	r.listed.policy = slices.Clone(r.listed.policy)
	return p, nil
}

// A reader makes samples of the rows of a shard.
type reader struct {
	*window
	listed *listed         // the rows of lists so far
	legal  []engine.Action // scratch of markLegal
	marked []bool          // by action: whether it is legal in the position of markLegal
	late   int             // number of samples late in the game
}

func newReader(w *window) *reader {
	return &reader{window: w, listed: &listed{}, marked: make([]bool, w.game.Actions)}
}

// Check returns an error unless the content of a shard, as data.DecodeShard returns it,
// is of the run and can be trained on: what the trainer would find when it reads it.
func (o *Options) Check(at run.Shard, h data.Header, rows []data.Row) error {
	w := newReader(newWindow(o.Game, 0, o.origin()))
	if err := w.expected.check(o.Game, h, at, rows); err != nil {
		return err
	}
	for i, r := range rows {
		if _, err := w.sample(r); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// sample makes a sample of a row, after checking that it fits the game.
func (w *reader) sample(r data.Row) (sample, error) {
	pos, err := w.game.Parse(r.Position)
	if err != nil {
		return sample{}, err
	}
	if pos.Outcome() != engine.Ongoing {
		return sample{}, fmt.Errorf("the game is over in %q", r.Position)
	}
	if r.Mover != int32(pos.ToMove()) {
		return sample{}, fmt.Errorf("the mover is %d, in %q it is %d", r.Mover, r.Position, pos.ToMove())
	}
	if e, ok := pos.State().(engine.Ending); ok && e.Late() {
		w.late++
	}
	w.markLegal(pos)
	if !w.isLegal(r.Action) {
		return sample{}, fmt.Errorf("action %d was played, which is not legal in %q", r.Action, r.Position)
	}
	for _, p := range r.Policy {
		if !w.isLegal(p.Action) {
			return sample{}, fmt.Errorf("the policy has action %d, which is not legal in %q", p.Action, r.Position)
		}
	}
	value := float32((1-w.searchShare)*float32(r.Outcome)) + float32(w.searchShare*r.Value)
	sign := pos.ToMove().Sign()
	x := sample{value: value * sign, margin: float32(r.Margin) * sign, turns: float32(r.TurnsLeft)}
	if w.lists {
		x.listed, x.row = w.listed, w.listed.add(pos, r.Policy)
		if err := w.listed.Check(w.game.Spec, x.row); err != nil {
			return sample{}, fmt.Errorf("in %q %w", r.Position, err)
		}
	} else {
		x.position, x.policy = pos, r.Policy
	}
	return x, nil
}

// markLegal sets the position whose actions isLegal is asked about.
func (w *reader) markLegal(pos engine.Position) {
	clear(w.marked)
	w.legal = pos.Legal(w.legal[:0])
	for _, a := range w.legal {
		w.marked[a] = true
	}
}

func (w *reader) isLegal(action int32) bool {
	return action >= 0 && int(action) < len(w.marked) && w.marked[action]
}

// An origin is what all shards of a run have in common. Other shards are refused.
type origin struct {
	run      string
	seed     uint64
	selfplay selfplay.Config
	margin   bool // the shards must have the column margin, because the network learns it

	// starts returns the list from which games of a generation begin; nil if all are dealt.
	starts func(generation int) (*selfplay.Starts, error)
}

// check returns an error unless a shard is what its place in the run's folder, at,
// says that it is.
func (o *origin) check(game engine.Game, h data.Header, at run.Shard, rows []data.Row) error {
	games := 0
	for _, r := range rows {
		if int(r.Generation) != at.Generation || r.Run != h.Run {
			return fmt.Errorf("it has a row of run %s, generation %d", r.Run, r.Generation)
		}
		if r.TurnsLeft == 1 {
			games++
		}
	}
	starts, err := o.starts(at.Generation)
	if err != nil {
		return err
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
	case games != o.selfplay.ShardGames:
		return fmt.Errorf("it has %d games, a shard of the run has %d", games, o.selfplay.ShardGames)
	case h.Starts != starts.ID():
		return fmt.Errorf("its games begin from the list of starts %q, those of the generation from %q", h.Starts, starts.ID())
	case o.margin && slices.Contains(h.Lacks, "margin"):
		return errors.New("it lacks the column margin, which network.margin learns from")
	}
	return starts.Check(rows, o.selfplay)
}

// A sampler fills batches with samples in random order: all of them once, then all
// of them again in another order. A sample with a weight of 2.3 comes twice or three times
// in each order, so that this is its mean. Each is turned by a random symmetry of the game.
type sampler struct {
	game     engine.Game
	samples  []sample
	weighted bool // samples have weights
	rng      *rand.Rand
	workers  int
	order    []int // indices of samples
	next     int   // index in order of the sample to be drawn next

	picks   []pick            // of the batch at hand, by row
	parts   [chunks]listed    // of a batch of lists
	scratch [][]engine.Action // legal actions, by chunk
	planes  [][]float32       // planes before they are turned, by chunk
}

// A pick is the index of a sample and that of a symmetry; -1 is no symmetry.
type pick struct{ sample, symmetry int }

func newSampler(game engine.Game, samples []sample, rng *rand.Rand, workers int) *sampler {
	s := &sampler{game: game, samples: samples, rng: rng, workers: workers}
	s.weighted = slices.ContainsFunc(samples, func(x sample) bool { return x.weight > 0 })
	if !s.weighted {
		s.order = rng.Perm(len(samples))
	}
	for range chunks {
		s.scratch = append(s.scratch, make([]engine.Action, 0, game.Actions))
		s.planes = append(s.planes, make([]float32, game.Planes.Size()))
	}
	return s
}

// chunks is the number of parts of a batch that are filled in parallel.
const chunks = 16

// fill fills the batch. All random numbers are drawn before the parallel work, so that
// the batch does not depend on the number of workers.
func (s *sampler) fill(b *graph.Batch) {
	n := b.Boards
	s.picks = s.picks[:0]
	for range n {
		for s.next == len(s.order) { // one sample with a weight a little below 1 may not be drawn
			s.reorder()
		}
		s.picks = append(s.picks, pick{s.order[s.next], s.rng.IntN(1+len(s.game.Symmetries)) - 1})
		s.next++
	}
	s.write(b)
}

// reorder begins the next order. How often a sample with a weight comes is systematic
// sampling: the weights are laid end to end, and it comes as often as the distances
// u, u+1, u+2, ... fall within its own, where u is drawn from [0, 1).
func (s *sampler) reorder() {
	if s.weighted {
		s.order = s.order[:0]
		covered := s.rng.Float64()
		for i := range s.samples {
			for covered += float64(s.samples[i].weight); covered >= 1; covered-- {
				s.order = append(s.order, i)
			}
		}
	}
	s.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	s.next = 0
}

// write writes the samples of s.picks to the batch.
func (s *sampler) write(b *graph.Batch) {
	n := b.Boards
	if b.Planes == nil {
		s.fillLists(b)
		return
	}
	parallel.For(chunks, s.workers, func(c int) {
		for i := n * c / chunks; i < n*(c+1)/chunks; i++ {
			s.encode(b, i, c)
		}
	})
}

// encode writes pick i to row i of the batch, using the scratch of chunk c.
func (s *sampler) encode(b *graph.Batch, i, c int) {
	x := s.samples[s.picks[i].sample]
	planes := b.Planes[i*s.game.Planes.Size() : (i+1)*s.game.Planes.Size()]
	var policy []float32
	for _, t := range b.Targets {
		if t.Target == model.TargetPolicy {
			policy = t.Rows[i*s.game.Actions : (i+1)*s.game.Actions]
		} else {
			t.Rows[i] = x.target(t.Target) / t.Unit
		}
	}
	for a := range policy {
		policy[a] = illegal
	}
	legal := x.position.Legal(s.scratch[c][:0])
	if s.picks[i].symmetry < 0 {
		x.position.Encode(planes)
		for _, a := range legal {
			policy[a] = 0
		}
		for _, w := range x.policy {
			policy[w.Action] = w.Weight
		}
		return
	}
	sym := &s.game.Symmetries[s.picks[i].symmetry]
	x.position.Encode(s.planes[c])
	for from, v := range s.planes[c] {
		planes[sym.Planes[from]] = v
	}
	for _, a := range legal {
		policy[sym.Actions[a]] = 0
	}
	for _, w := range x.policy {
		policy[sym.Actions[w.Action]] = w.Weight
	}
}

// illegal is the policy target of an illegal action, which the loss leaves out.
const illegal = -1
