package model

import (
	"fmt"

	"dojo.example/engine"
)

// Sparse holds the sizes of a small perceptron that reads features. Each feature has a column of C
// weights. The first layer adds the columns of the position's active features. The policy computes
// only the logits of the legal actions. With the default sizes, an evaluation takes less than a
// microsecond.
//
//	features -> sum of columns C, relu
//	policy:  C -> dense P, relu -> logits of the legal actions: P × the action's row,
//	         plus P × the row of each feature of the action if ActionRows
//	value:   C -> dense V, relu -> dense H, relu -> dense 1 -> tanh
//	margin:  the H numbers of the value -> dense 1       if Network.Margin > 0; see Checkpoint.Leads
type Sparse struct {
	// C: number of weights in a feature's column, a multiple of 32.
	Columns int `json:"columns" yaml:"columns"`
	// P: number of outputs of the policy's first layer, a multiple of 32.
	Policy int `json:"policy" yaml:"policy"`
	// V: number of outputs of the value's first layer, a multiple of 16.
	Value int `json:"value" yaml:"value"`
	// H: number of outputs of the value's second layer, a multiple of 16.
	Hidden int `json:"hidden" yaml:"hidden"`
	// If Half is set, models store the columns in 16 bits, so that a file of a game with many
	// features takes about half the size. Training still uses 32 bits; each model that it makes has
	// columns that are rounded to 16 bits.
	Half bool `json:"half,omitempty" yaml:"half,omitempty"`

	// If ActionRows is set and the game lists action features (properties of actions; see
	// engine.ActionFeatureLister), the policy has a row of weights for each of them.
	ActionRows bool `json:"-" yaml:"-"`

	// These sizes depend on the game: the number of features, the maximum number of active features
	// in a position, the number of action features, and the number of action features per action.
	Features       int `json:"features" yaml:"-"`
	Active         int `json:"active" yaml:"-"`
	ActionFeatures int `json:"-" yaml:"-"`
	PerAction      int `json:"-" yaml:"-"`
}

// DefaultSparse returns the default sizes for configurations.
func DefaultSparse() Sparse {
	return Sparse{Columns: 256, Policy: 32, Value: 32, Hidden: 16, ActionRows: true}
}

// Kind returns KindSparse.
func (s Sparse) Kind() string { return KindSparse }

func (s Sparse) fit(spec engine.Spec) Body {
	s.Features, s.Active = spec.Features, spec.ActiveFeatures
	s.ActionRows, s.ActionFeatures, s.PerAction = s.ActionRows && spec.ActionFeatures > 0, 0, 0
	if s.ActionRows {
		s.ActionFeatures, s.PerAction = spec.ActionFeatures, spec.PerAction
	}
	return s
}

func (s Sparse) describe() (sizes, reads string) {
	bits := ""
	if s.Half {
		bits = " in 16 bits"
	}
	return fmt.Sprintf("%s: %d columns%s, policy %d, value %d and %d", KindSparse, s.Columns, bits, s.Policy, s.Value, s.Hidden),
		fmt.Sprintf("%d features, at most %d active", s.Features, s.Active)
}

func (s Sparse) sizes() []size {
	return []size{
		{"sparse: columns", s.Columns, 32, 32, 4096}, {"sparse: policy", s.Policy, 32, 32, 4096},
		{"sparse: value", s.Value, 16, 16, 4096}, {"sparse: hidden", s.Hidden, 16, 16, 4096},
	}
}

func (s Sparse) fits(actions int) error {
	switch {
	case s.Features < 1 || s.Features > 1<<16 || s.Active < 1 || s.Active > s.Features:
		return fmt.Errorf("%d features, of which up to %d are active; a network reads 1 to %d features, of which 1 to all are active", s.Features, s.Active, 1<<16)
	case s.ActionFeatures < 0 || s.ActionFeatures > 1<<16 || s.PerAction < 0 || s.PerAction > 2 || (s.ActionFeatures == 0) != (s.PerAction == 0):
		return fmt.Errorf("%d action features, %d per action; a network reads up to %d, and up to 2 per action", s.ActionFeatures, s.PerAction, 1<<16)
	case actions+s.ActionFeatures > 1<<16: // row numbers of the policy must fit into 16 bits
		return fmt.Errorf("%d actions and %d action features; together a network reads up to %d", actions, s.ActionFeatures, 1<<16)
	}
	return nil
}

func (s Sparse) newInput(n Network) engine.Input { return engine.FeatureInput(n.Planes, s.PerAction) }

func (s Sparse) layers(a *Architecture, n Network) (policy, value string) {
	a.Planes, a.Lists = engine.Shape{C: s.Features, H: 1, W: 1}, true
	// The first layer adds only the weights of active features, so the size of its results depends
	// only on the number of active features.
	first := func(int) float64 { return he(s.Active) }
	x := a.add(Layer{Name: "columns", Kind: FeatureSum, Active: s.Active, ReLU: true, Int8: true, Half: s.Half}, s.Columns, first)
	policy = a.add(Layer{Name: "policy", Kind: Dense, From: x, ReLU: true, Int8: true}, s.Policy, he)
	policy = a.add(Layer{Name: "policy.out", Kind: SelectedDense, From: policy, Int8: true, ActionFeatures: s.ActionFeatures, PerAction: s.PerAction}, n.Actions, small)
	value = a.add(Layer{Name: "value", Kind: Dense, From: x, ReLU: true, Int8: true}, s.Value, he)
	return policy, a.add(Layer{Name: "value.hidden", Kind: Dense, From: value, ReLU: true, Int8: true}, s.Hidden, he)
}
