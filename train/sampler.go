package train

import (
	"math/rand/v2"

	"dojo/engine"
	"dojo/internal/parallel"
	"dojo/model"
	"dojo/model/graph"
)

// A sampler fills batches with samples in random order: with all of them once, then with all
// of them again in another order. Each is transformed by a random symmetry of the game.
type sampler struct {
	game    engine.Game
	samples []sample
	rng     *rand.Rand
	workers int
	order   []int // indices of samples
	next    int   // index in order of the sample to be drawn next

	picks   []pick              // the rows of the current batch
	parts   [chunks]sampleLists // the chunks of a batch of lists
	scratch [][]engine.Action   // legal actions, by chunk
	planes  [][]float32         // planes before they are transformed, by chunk
}

// A pick is the index of a sample and that of a symmetry; -1 is no symmetry.
type pick struct{ sample, symmetry int }

func newSampler(game engine.Game, samples []sample, rng *rand.Rand, workers int) *sampler {
	s := &sampler{game: game, samples: samples, rng: rng, workers: workers, order: rng.Perm(len(samples))}
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
		if s.next == len(s.order) {
			s.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
			s.next = 0
		}
		s.picks = append(s.picks, pick{s.order[s.next], s.rng.IntN(1+len(s.game.Symmetries)) - 1})
		s.next++
	}
	s.write(b)
}

// fillInOrder fills the batch with the first samples as they are.
func (s *sampler) fillInOrder(b *graph.Batch) {
	s.picks = s.picks[:0]
	for i := range b.Boards {
		s.picks = append(s.picks, pick{i, -1})
	}
	s.write(b)
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
