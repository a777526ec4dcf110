package train

import (
	"math/rand/v2"

	"dojo.example/engine"
	"dojo.example/internal/parallel"
	"dojo.example/model"
	"dojo.example/model/graph"
)

// A sampler fills batches with samples in random order. It draws every sample once, then shuffles
// the samples and draws all of them again, and so on. It transforms each drawn sample by a random
// symmetry of the game.
type sampler struct {
	game    engine.Game
	samples []sample
	rng     *rand.Rand
	team    *parallel.Team
	order   []int // indices of samples, in the order in which they are drawn
	next    int   // index of the next sample in order

	picks []pick             // the samples of the current batch
	parts [chunks]sampleRows // the parts of the current batch
}

// A pick is a drawn sample. symmetry is the index of the symmetry that transforms it, or -1 for
// none.
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

// fill fills the batch with n samples. It draws all random numbers before the parallel work begins,
// so that the batch does not depend on the number of workers.
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

// write writes the samples in s.picks to the batch. Workers prepare the parts of the batch in
// parallel. Then write joins the parts in order.
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

// appendPick appends the input and the policy target of pick i to one part of the batch. The pick's
// other targets are single numbers, which appendPick writes to row i of the batch.
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
