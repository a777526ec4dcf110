package train

import (
	"slices"

	"dojo/data"
	"dojo/engine"
	"dojo/model"
	"dojo/model/graph"
)

// listed holds the samples of a generation for a network that reads lists: each has a
// row of features and legal actions, and a target of the policy.
type listed struct {
	engine.Lists
	policy []float32 // the target for each of Legal
}

// add appends a position and the target of its policy, and returns its row. All
// actions of the policy must be legal.
func (l *listed) add(p engine.Position, policy []data.Weight) (row int) {
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

// fillLists fills a batch of lists with the samples that fill has picked. One goroutine
// is enough: a step of the optimiser takes thirty times as long.
func (s *sampler) fillLists(b *graph.Batch) {
	b.Lists.Reset()
	for t := range b.Targets {
		if b.Targets[t].Kind == model.Logits {
			b.Targets[t].Rows = b.Targets[t].Rows[:0]
		}
	}
	for i, pick := range s.picks {
		x := &s.samples[pick.sample]
		var sym *engine.Symmetry
		if pick.symmetry >= 0 {
			sym = &s.game.Symmetries[pick.symmetry]
		}
		x.list(&b.Lists, sym)
		for t := range b.Targets {
			target := &b.Targets[t]
			if target.Kind == model.Logits {
				from, to := x.listed.LegalRange(x.row, x.row+1)
				target.Rows = append(target.Rows, x.listed.policy[from:to]...)
			} else {
				target.Rows[i] = x.target(target.Target) / target.Unit
			}
		}
	}
}

// list appends the sample to lists, transformed by the symmetry sym unless that is nil.
func (x *sample) list(lists *engine.Lists, sym *engine.Symmetry) {
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
