package train

import (
	"math/rand/v2"

	"dojo.example/engine"
	"dojo.example/internal/parallel"
	"dojo.example/model"
	"dojo.example/model/graph"
)

// A sampler fills batches with samples in random order: with all of them once, then with all
// of them again in another order. Each is transformed by a random symmetry of the game.
type sampler struct {
	game    engine.Game
	samples []sample
	rng     *rand.Rand
	team    *parallel.Team
	order   []int // indices of samples
	next    int   // index in order of the sample to be drawn next

	picks []pick             // the rows of the current batch
	parts [chunks]sampleRows // its parts
}

// A pick is a sample with the index of a symmetry, which is -1 for none.
type pick struct {
	sample
	symmetry int
}

func newSampler(game engine.Game, n model.Network, samples []sample, rng *rand.Rand, team *parallel.Team) *sampler {
	s := &sampler{game: game, samples: samples, rng: rng, team: team, order: rng.Perm(len(samples))}
	for c := range s.parts {
		s.parts[c].Input = n.For(game.Spec).NewInput()
	}
	return s
}

// chunks is the number of parts of a batch that are filled in parallel.
const chunks = 16

// fill fills the batch with n samples. All random numbers are drawn before the parallel
// work, so that the batch does not depend on the number of workers.
func (s *sampler) fill(b *graph.Batch, n int) {
	s.picks = s.picks[:0]
	for range n {
		if s.next == len(s.order) {
			s.rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
			s.next = 0
		}
		s.picks = append(s.picks, pick{s.samples[s.order[s.next]], s.rng.IntN(1+len(s.game.Symmetries)) - 1})
		s.next++
	}
	s.write(b)
}

// write writes the samples of s.picks to the batch. The chunks of the batch are made in
// parallel, and then joined in their order.
func (s *sampler) write(b *graph.Batch) {
	n := len(s.picks)
	s.team.For(chunks, func(c int) {
		part := &s.parts[c]
		part.clear()
		for i := n * c / chunks; i < n*(c+1)/chunks; i++ {
			s.appendPick(b, i, part)
		}
	})
	b.Input.Reset()
	for c := range s.parts {
		b.Input.AppendRows(&s.parts[c].Input)
	}
	for t := range b.Targets {
		if target := &b.Targets[t]; target.Kind == model.Logits {
			target.Rows = target.Rows[:0]
			for c := range s.parts {
				target.Rows = append(target.Rows, s.parts[c].policy...)
			}
		}
	}
}

// appendPick appends the sample of pick i to part, and writes those of its targets that are
// one number to row i of the batch.
func (s *sampler) appendPick(b *graph.Batch, i int, part *sampleRows) {
	x := &s.picks[i]
	var sym *engine.Symmetry
	if x.symmetry >= 0 {
		sym = &s.game.Symmetries[x.symmetry]
	}
	x.appendTo(&part.Input, sym)
	part.policy = append(part.policy, x.rows.policyOf(x.row)...)
	for t := range b.Targets {
		if target := &b.Targets[t]; target.Kind != model.Logits {
			target.Rows[i] = x.target(target.Kind) / target.Unit
		}
	}
}
