package configs

import (
	"fmt"
	"reflect"
	"strings"

	"dojo.example/model"

	"github.com/goccy/go-yaml"
)

// Network is the network section of a configuration. It has the keys of both kinds of networks,
// sparse and residual. The keys of the kind that is not used hold their defaults.
type Network struct {
	model.Residual `yaml:",inline"`
	// Margin is the lead in points for which the network's margin output is 1. It is 0 for games
	// without scores.
	Margin     int          `yaml:"margin"`
	Kind       string       `yaml:"kind"` // model.KindSparse or model.KindResidual
	Sparse     model.Sparse `yaml:"sparse"`
	ActionRows bool         `yaml:"action_rows"` // becomes Sparse.ActionRows
}

// NetworkOf returns the network section that describes network n.
func NetworkOf(n model.Network) Network {
	x := Network{Residual: model.DefaultResidual(), Margin: n.Margin, Kind: n.Kind(), Sparse: model.DefaultSparse()}
	switch b := n.Body.(type) {
	case model.Residual:
		x.Residual = b
	case model.Sparse:
		// The game determines these sizes, so they do not belong in a configuration.
		b.Features, b.Active, b.ActionFeatures, b.PerAction = 0, 0, 0, 0
		x.Sparse = b
	}
	x.ActionRows, x.Sparse.ActionRows = x.Sparse.ActionRows, false
	return x
}

// Model returns the described network; its method For adapts it to a game. If no kind is given, the
// network is residual, as in the oldest runs.
func (n Network) Model() model.Network {
	if n.Kind == model.KindSparse {
		n.Sparse.ActionRows = n.ActionRows
		return model.Network{Margin: n.Margin, Body: n.Sparse}
	}
	return model.Network{Margin: n.Margin, Body: n.Residual}
}

// only returns a copy of n in which all keys of the other kind of network have their default
// values.
func (n Network) only() Network { return NetworkOf(n.Model()) }

// Validate returns an error that names the key of the first impossible value.
func (n Network) Validate() error {
	switch n.Kind {
	case "", model.KindResidual, model.KindSparse:
		return n.Model().Validate()
	}
	return fmt.Errorf("kind: %q is neither %s nor %s", n.Kind, model.KindResidual, model.KindSparse)
}

// checkKey returns an error if key, such as "sparse.columns", belongs only to the other kind of
// network.
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
	return fmt.Errorf("%s is only for %s networks, but this network is %s; to change that, set its kind to %s", key, of, kind, of)
}

// networkText writes the network section without the keys that only the other kind of network has.
func networkText(n Network) ([]byte, error) {
	var settings yaml.MapSlice
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Network]()) {
		if key := f.Tag.Get("yaml"); !f.Anonymous && n.checkKey(key) == nil {
			settings = append(settings, yaml.MapItem{Key: key, Value: reflect.ValueOf(n).FieldByIndex(f.Index).Interface()})
		}
	}
	return yaml.Marshal(settings)
}
