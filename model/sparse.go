package model

import (
	"fmt"

	"dojo.example/engine"
)

// SparseSizes is the sizes of a network of the Sparse kind, a small perceptron. Its
// first layer adds the weights of a position's active features, a column of C numbers
// each. It computes the logits of legal actions alone.
//
//	features -> sum of columns C, relu
//	policy:  C -> dense P, relu -> logits of the legal actions: P × the action's row,
//	         plus P × the row of each feature of the action if Network.ActionRows
//	value:   C -> dense V, relu -> dense H, relu -> dense 1 -> tanh
//	margin:  the H numbers of the value -> dense 1       if Network.Margin > 0; see Checkpoint.Leads
type SparseSizes struct {
	Columns int `yaml:"columns" json:"columns"` // C, a multiple of 32
	Policy  int `yaml:"policy" json:"policy"`   // P, a multiple of 32
	Value   int `yaml:"value" json:"value"`     // V, a multiple of 16
	Hidden  int `yaml:"hidden" json:"hidden"`   // H, a multiple of 16

	// Sizes that come from the game: how many features there are, and how many
	// are active at once, at most.
	Features int `yaml:"-" json:"features"`
	Active   int `yaml:"-" json:"active"`
}

// defaultSparse returns sizes for one core: an evaluation takes less than a
// microsecond.
func defaultSparse() SparseSizes { return SparseSizes{Columns: 256, Policy: 32, Value: 32, Hidden: 16} }

// validate returns an error that names the key of the first impossible size.
func (s SparseSizes) validate() error {
	for _, x := range []struct {
		key         string
		size, whole int
	}{{"columns", s.Columns, 32}, {"policy", s.Policy, 32}, {"value", s.Value, 16}, {"hidden", s.Hidden, 16}} {
		const most = 4096
		if x.size < x.whole || x.size%x.whole != 0 || x.size > most {
			return fmt.Errorf("sparse: %s: %d is not a multiple of %d between %d and %d", x.key, x.size, x.whole, x.whole, most)
		}
	}
	return nil
}

// fits reports features that no game has, as a damaged checkpoint may say.
func (n Network) fits() error {
	s := n.Sparse
	if n.Kind == Sparse && (s.Features < 1 || s.Features > 1<<16 || s.Active < 1 || s.Active > s.Features) {
		return fmt.Errorf("%d features, of which %d are active at once; a network reads 1 to %d, and no more at once", s.Features, s.Active, 1<<16)
	}
	if n.ActionFeatures < 0 || n.ActionFeatures > 1<<16 || n.PerAction < 0 || n.PerAction > 2 || (n.ActionFeatures == 0) != (n.PerAction == 0) {
		return fmt.Errorf("%d features of actions, %d of each; a network reads up to %d, and up to 2 of each", n.ActionFeatures, n.PerAction, 1<<16)
	}
	return nil
}

// CheckGame returns an error if the network cannot play the game of spec.
func (n Network) CheckGame(spec engine.Spec) error {
	if n.Kind == Sparse && spec.Features == 0 {
		return fmt.Errorf("kind: a %s network reads features, and %s lists none", Sparse, spec.Name)
	}
	if err := n.For(spec).fits(); err != nil {
		return fmt.Errorf("kind: a %s network cannot read those of %s: %w", Sparse, spec.Name, err)
	}
	return nil
}

// sparse returns the layers and heads of the Sparse kind.
func (n Network) sparse() Architecture {
	a := Architecture{Planes: engine.Shape{C: n.Sparse.Features, H: 1, W: 1}, Lists: true}
	// A sum has only the active features, so that its variance is theirs.
	first := func(int) float64 { return he(n.Sparse.Active) }
	x := a.add(Layer{Name: "columns", Kind: FeatureSum, Active: n.Sparse.Active, ReLU: true, Int8: true}, n.Sparse.Columns, first)
	p := a.add(Layer{Name: "policy", Kind: Dense, From: x, ReLU: true, Int8: true}, n.Sparse.Policy, he)
	p = a.add(Layer{Name: "policy.out", Kind: SelectedDense, From: p, Int8: true, ActionFeatures: n.ActionFeatures, PerAction: n.PerAction}, n.Actions, small)
	a.Heads = append(a.Heads, Head{Name: "policy", From: p, Kind: Logits, Target: TargetPolicy, Unit: 1, Weight: 1, Plays: true})
	v := a.add(Layer{Name: "value", Kind: Dense, From: x, ReLU: true, Int8: true}, n.Sparse.Value, he)
	v = a.add(Layer{Name: "value.hidden", Kind: Dense, From: v, ReLU: true, Int8: true}, n.Sparse.Hidden, he)
	a.values(n, v)
	return a
}
