package model

import (
	"encoding/json"
	"fmt"

	"dojo.example/engine"
)

// stored is the JSON form of a network in a checkpoint's metadata. It has fields for the sizes of
// both kinds of networks. A residual network is stored without its kind, because when the first
// checkpoints were written there was no other kind.
type stored struct {
	Planes  engine.Shape `json:"planes"`
	Actions int          `json:"actions"`
	Residual
	Margin         int    `json:"margin,omitempty"`
	Kind           string `json:"kind,omitempty"`
	Sparse         Sparse `json:"sparse,omitzero"`
	ActionRows     bool   `json:"action_rows,omitempty"`
	ActionFeatures int    `json:"action_features,omitempty"`
	PerAction      int    `json:"per_action,omitempty"`
}

// stored converts the network to the form in which checkpoints store it.
func (n Network) stored() stored {
	x := stored{Planes: n.Planes, Actions: n.Actions, Margin: n.Margin}
	switch b := n.Body.(type) {
	case Residual:
		x.Residual = b
	case Sparse:
		x.Kind, x.Sparse = KindSparse, b
		x.ActionRows, x.ActionFeatures, x.PerAction = b.ActionRows, b.ActionFeatures, b.PerAction
	}
	return x
}

// MarshalJSON encodes the network in the form in which checkpoints store it.
func (n Network) MarshalJSON() ([]byte, error) { return json.Marshal(n.stored()) }

// UnmarshalJSON decodes the output of MarshalJSON. A network without a kind is a residual network.
func (n *Network) UnmarshalJSON(text []byte) error {
	var x stored
	if err := json.Unmarshal(text, &x); err != nil {
		return err
	}
	*n = Network{Planes: x.Planes, Actions: x.Actions, Margin: x.Margin}
	switch x.Kind {
	case "", KindResidual:
		n.Body = x.Residual
	case KindSparse:
		x.Sparse.ActionRows, x.Sparse.ActionFeatures, x.Sparse.PerAction = x.ActionRows, x.ActionFeatures, x.PerAction
		n.Body = x.Sparse
	default:
		return fmt.Errorf("kind: %q is neither %s nor %s", x.Kind, KindResidual, KindSparse)
	}
	return nil
}

// Identity returns the text that represents the network in a checkpoint's hash. The keys in this
// text must not change. They are the names that the fields had when the first checkpoints were
// written. Fields that were added later are left out if they are zero, so that the hashes of older
// checkpoints do not change.
func (n Network) Identity() string {
	x := n.stored()
	text := fmt.Sprintf("{Planes:{C:%d H:%d W:%d} Actions:%d Channels:%d Blocks:%d PolicyPlanes:%d ValuePlanes:%d ValueFeatures:%d Margin:%d",
		x.Planes.C, x.Planes.H, x.Planes.W, x.Actions, x.Channels, x.Blocks, x.PolicyPlanes, x.ValuePlanes, x.ValueFeatures, x.Margin)
	if s := x.Sparse; x.Kind == KindSparse {
		text += fmt.Sprintf(" Kind:sparse Sparse:{Columns:%d Policy:%d Value:%d Hidden:%d Features:%d Active:%d}", s.Columns, s.Policy, s.Value, s.Hidden, s.Features, s.Active)
	}
	if x.ActionRows {
		text += " ActionRows:true"
	}
	if x.ActionFeatures != 0 {
		text += fmt.Sprintf(" ActionFeatures:%d", x.ActionFeatures)
	}
	if x.PerAction != 0 {
		text += fmt.Sprintf(" PerAction:%d", x.PerAction)
	}
	if x.Sparse.Half {
		text += " Half:true"
	}
	return text + "}"
}
