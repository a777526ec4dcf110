package train

import (
	"fmt"
	"math/rand/v2"

	"dojo/data"
	"dojo/engine"
	"dojo/internal/parallel"
	"dojo/model/graph"
)

// A sample is a row ready to be trained on.
type sample struct {
	position engine.Position
	policy   []data.Weight
	value    float32 // the target, for the player to move
	margin   float32 // of the game, in points for the player to move
}

// A window keeps the samples of the generations in use.
type window struct {
	game        engine.Game
	searchShare float32 // of the search's value in the value target
	generations map[int]generation
}

// A generation is what one generation played.
type generation struct {
	samples []sample
	stats   data.Summary
}

func newWindow(game engine.Game, searchShare float32) *window {
	return &window{game: game, searchShare: searchShare, generations: map[int]generation{}}
}

// slide makes the window hold generations first to last of the run in root
// and no others, and returns their samples in order.
func (w *window) slide(root string, first, last int) ([]sample, error) {
	shards, err := data.Shards(root)
	if err != nil {
		return nil, err
	}
	for g := range w.generations {
		if g < first || g > last {
			delete(w.generations, g)
		}
	}
	var samples []sample
	for g := first; g <= last; g++ {
		if _, ok := w.generations[g]; !ok {
			if w.generations[g], err = w.read(shards, g); err != nil {
				return nil, err
			}
		}
		samples = append(samples, w.generations[g].samples...)
	}
	return samples, nil
}

// read turns the shards of generation g into samples.
func (w *window) read(shards []data.Shard, g int) (generation, error) {
	var rows []data.Row
	var samples []sample
	for _, s := range shards {
		if s.Generation != g {
			continue
		}
		p, more, err := data.ReadShard(s.Path)
		if err != nil {
			return generation{}, err
		}
		if p.Game != w.game.Name || p.SpecVersion != w.game.Version {
			return generation{}, fmt.Errorf("shard %s is of %s version %d, not %s version %d",
				s.Path, p.Game, p.SpecVersion, w.game.Name, w.game.Version)
		}
		for i, r := range more {
			x, err := w.sample(r)
			if err != nil {
				return generation{}, fmt.Errorf("shard %s: row %d: %w", s.Path, i, err)
			}
			samples = append(samples, x)
		}
		rows = append(rows, more...)
	}
	if len(rows) == 0 {
		return generation{}, fmt.Errorf("generation %d has no samples", g)
	}
	return generation{samples, data.Stats(rows)}, nil
}

// sample is the row as a training example.
func (w *window) sample(r data.Row) (sample, error) {
	pos, err := w.game.Parse(r.Position)
	if err != nil {
		return sample{}, err
	}
	for _, p := range r.Policy {
		if p.Action < 0 || int(p.Action) >= w.game.Actions {
			return sample{}, fmt.Errorf("action %d is not one of the %d of %s", p.Action, w.game.Actions, w.game.Name)
		}
	}
	value := float32((1-w.searchShare)*float32(r.Outcome)) + float32(w.searchShare*r.Value)
	sign := pos.ToMove().Sign()
	return sample{position: pos, policy: r.Policy, value: value * sign, margin: float32(r.Margin) * sign}, nil
}

// A sampler fills batches from samples in random order without replacement,
// each seen through a random symmetry.
type sampler struct {
	game    engine.Game
	samples []sample
	margin  float32 // points that the network writes as 1
	rng     *rand.Rand
	workers int
	order   []int
	next    int

	picks   []pick // of one batch
	scratch [][]engine.Action
	planes  [][]float32
}

// A pick is a sample and the symmetry to see it through; -1 is none.
type pick struct{ sample, symmetry int }

func newSampler(game engine.Game, samples []sample, rng *rand.Rand, workers int) *sampler {
	s := &sampler{game: game, samples: samples, rng: rng, workers: workers, order: rng.Perm(len(samples))}
	for range chunks {
		s.scratch = append(s.scratch, make([]engine.Action, 0, game.Actions))
		s.planes = append(s.planes, make([]float32, game.Planes.Size()))
	}
	return s
}

// chunks is the number of pieces that a batch is filled in.
const chunks = 16

// fill fills b. The random draws come before the parallel work, so that the
// batch does not depend on workers.
func (s *sampler) fill(b *graph.Batch) {
	n := len(b.Values)
	s.picks = s.picks[:0]
	for range n {
		if s.next == len(s.order) {
			s.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
			s.next = 0
		}
		s.picks = append(s.picks, pick{s.order[s.next], s.rng.IntN(1+len(s.game.Symmetries)) - 1})
		s.next++
	}
	parallel.For(chunks, s.workers, func(c int) {
		for i := n * c / chunks; i < n*(c+1)/chunks; i++ {
			s.encode(b, i, c)
		}
	})
}

// encode writes pick i to row i of the batch with the scratch of chunk c.
func (s *sampler) encode(b *graph.Batch, i, c int) {
	x := s.samples[s.picks[i].sample]
	planes := b.Planes[i*s.game.Planes.Size() : (i+1)*s.game.Planes.Size()]
	policy := b.Policy[i*s.game.Actions : (i+1)*s.game.Actions]
	for a := range policy {
		policy[a] = illegal
	}
	legal := x.position.Legal(s.scratch[c][:0])
	b.Values[i] = x.value
	if b.Margins != nil {
		b.Margins[i] = x.margin / s.margin
	}
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

// illegal marks an action that the policy loss leaves out.
const illegal = -1
