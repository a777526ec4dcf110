package train

import (
	"fmt"
	"slices"
	"unsafe"

	"dojo/data"
	"dojo/engine"
	"dojo/internal/parallel"
	"dojo/model"
	"dojo/model/graph"
)

// sampleLists holds samples for a network that reads lists: a row for each has its active
// features, its legal actions and the policy target.
type sampleLists struct {
	engine.Lists
	policy []float32 // the policy target, parallel to Legal
}

// add appends a position with its policy target, and returns the index of its row. All
// actions of the policy must be legal.
func (l *sampleLists) add(p engine.Position, policy []data.Weight) (row int) {
	row = l.Rows()
	l.Append(p)
	legal := l.LegalOf(row)
	l.policy = append(l.policy, make([]float32, len(legal))...)
	weights := l.policy[len(l.policy)-len(legal):]
	for _, w := range policy {
		i, _ := slices.BinarySearch(legal, engine.Action(w.Action))
		weights[i] = w.Weight
	}
	return row
}

// bytes returns the memory that the samples of a generation take, if they are lists; 0 if they
// are positions. The structs count twice, because the window's list of all samples has a copy.
func (g generation) bytes() int64 {
	if len(g.samples) == 0 || g.samples[0].listed == nil {
		return 0
	}
	bytes := 2 * int64(unsafe.Sizeof(sample{})) * int64(len(g.samples))
	for _, l := range g.listed {
		bytes += l.Bytes() + 4*int64(len(l.policy))
	}
	return bytes
}

// maxWindow is the largest number of bytes that the samples of a window may take: enough for
// 10 million positions of Patchwork, or 30 million of Onitama.
const maxWindow = 10 << 30

// checkMemory returns an error if generations first to last take more than most bytes.
func (w *window) checkMemory(first, last int, most int64) error {
	var bytes int64
	for g := first; g <= last; g++ {
		bytes += w.generations[g].bytes()
	}
	if bytes > most {
		return fmt.Errorf("the samples of generations %d to %d take %d MB, more than the %d MB of a window: begin a run with a smaller train.window_max or selfplay.games", first, last, bytes/1e6, most/1e6)
	}
	return nil
}

// fillLists fills a batch of lists with the samples in s.picks. The chunks of the batch are
// made in parallel, and then joined in their order.
func (s *sampler) fillLists(b *graph.Batch) {
	parallel.For(chunks, s.workers, func(c int) {
		part := &s.parts[c]
		part.Reset()
		part.policy = part.policy[:0]
		for i := b.Boards * c / chunks; i < b.Boards*(c+1)/chunks; i++ {
			s.appendPick(b, i, part)
		}
	})
	b.Lists.Reset()
	for c := range s.parts {
		b.Lists.AppendRows(&s.parts[c].Lists)
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
func (s *sampler) appendPick(b *graph.Batch, i int, part *sampleLists) {
	x := &s.samples[s.picks[i].sample]
	var sym *engine.Symmetry
	if k := s.picks[i].symmetry; k >= 0 {
		sym = &s.game.Symmetries[k]
	}
	x.appendTo(&part.Lists, sym)
	from, to := x.listed.LegalRange(x.row, x.row+1)
	part.policy = append(part.policy, x.listed.policy[from:to]...)
	for t := range b.Targets {
		if target := &b.Targets[t]; target.Kind != model.Logits {
			target.Rows[i] = x.target(target.Target) / target.Unit
		}
	}
}

// appendTo appends the sample's features and legal actions to lists as a row, transformed by
// the symmetry sym unless that is nil.
func (x *sample) appendTo(lists *engine.Lists, sym *engine.Symmetry) {
	features, legal := x.listed.FeaturesOf(x.row), x.listed.LegalOf(x.row)
	first, firstLegal := len(lists.Features), len(lists.Legal)
	lists.Features = append(lists.Features, features...)
	lists.Legal = append(lists.Legal, legal...)
	lists.EndRow()
	if sym == nil {
		return
	}
	for i, f := range features {
		lists.Features[first+i] = sym.Features[f]
	}
	for i, a := range legal {
		lists.Legal[firstLegal+i] = sym.Actions[a]
	}
}
