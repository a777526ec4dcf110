package configs

import (
	"fmt"
	"reflect"
	"strings"

	"dojo.example/model"

	"github.com/goccy/go-yaml"
)

// Network is the section of a configuration about the network. It has the keys of both kinds; those
// of the kind that the network is not have their defaults. See model.Residual and model.Sparse.
type Network struct {
	Channels      int    `yaml:"channels"`
	Blocks        int    `yaml:"blocks"`
	PolicyPlanes  int    `yaml:"policy_planes"`
	ValuePlanes   int    `yaml:"value_planes"`
	ValueFeatures int    `yaml:"value_features"`
	Margin        int    `yaml:"margin"` // the lead in points that the margin output writes as 1; 0 for games without scores
	Kind          string `yaml:"kind"`   // model.KindSparse or model.KindResidual
	Sparse        Sparse `yaml:"sparse"`
	ActionRows    bool   `yaml:"action_rows"` // of a sparse network
}

// Sparse has the sizes of a sparse network.
type Sparse struct {
	Columns int `yaml:"columns"`
	Policy  int `yaml:"policy"`
	Value   int `yaml:"value"`
	Hidden  int `yaml:"hidden"`
}

// NetworkOf returns the section for a network.
func NetworkOf(n model.Network) Network {
	r, s, kind := model.DefaultResidual(), model.DefaultSparse(), n.Kind()
	switch b := n.Body.(type) {
	case model.Residual:
		r = b
	case model.Sparse:
		s = b
	}
	return Network{
		r.Channels, r.Blocks, r.PolicyPlanes, r.ValuePlanes, r.ValueFeatures,
		n.Margin, kind, Sparse{s.Columns, s.Policy, s.Value, s.Hidden}, s.ActionRows,
	}
}

// Model returns the network; its For fits it to a game. Without a kind it is residual, as in the
// oldest runs.
func (n Network) Model() model.Network {
	var b model.Body = model.Residual{
		Channels: n.Channels, Blocks: n.Blocks, PolicyPlanes: n.PolicyPlanes, ValuePlanes: n.ValuePlanes, ValueFeatures: n.ValueFeatures,
	}
	if n.Kind == model.KindSparse {
		s := n.Sparse
		b = model.Sparse{Columns: s.Columns, Policy: s.Policy, Value: s.Value, Hidden: s.Hidden, ActionRows: n.ActionRows}
	}
	return model.Network{Margin: n.Margin, Body: b}
}

// only returns the section with defaults for what the network's kind does not have.
func (n Network) only() Network { return NetworkOf(n.Model()) }

// Validate reports the first impossible value, naming its key.
func (n Network) Validate() error {
	switch n.Kind {
	case "", model.KindResidual, model.KindSparse:
		return n.Model().Validate()
	}
	return fmt.Errorf("kind: %q is neither %s nor %s", n.Kind, model.KindResidual, model.KindSparse)
}

// checkKey returns an error if key, such as "sparse.columns", is a size of the kind that the
// network is not.
func (n Network) checkKey(key string) error {
	kind, of := n.Model().Kind(), model.KindResidual
	switch first, _, _ := strings.Cut(key, "."); first {
	case "kind", "margin":
		return nil
	case "sparse", "action_rows":
		of = model.KindSparse
	}
	if of == kind {
		return nil
	}
	return fmt.Errorf("%s is a size of %s networks, and this one is %s: kind: %s makes it one", key, of, kind, of)
}

// networkText writes the settings of a network without those of the other kind.
func networkText(n Network) ([]byte, error) {
	var settings yaml.MapSlice
	for f, value := range reflect.ValueOf(n).Fields() {
		if key := f.Tag.Get("yaml"); n.checkKey(key) == nil {
			settings = append(settings, yaml.MapItem{Key: key, Value: value.Interface()})
		}
	}
	return yaml.Marshal(settings)
}
