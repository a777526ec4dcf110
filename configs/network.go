package configs

import (
	"fmt"
	"reflect"
	"strings"

	"dojo.example/model"

	"github.com/goccy/go-yaml"
)

// Network is the section of a configuration about the network. It has the keys of both kinds; those
// of the kind that the network is not have their defaults.
type Network struct {
	model.Residual `yaml:",inline"`
	Margin         int          `yaml:"margin"` // the lead in points that the margin output writes as 1; 0 for games without scores
	Kind           string       `yaml:"kind"`   // model.KindSparse or model.KindResidual
	Sparse         model.Sparse `yaml:"sparse"`
	ActionRows     bool         `yaml:"action_rows"` // Sparse.ActionRows
}

// NetworkOf returns the section for a network.
func NetworkOf(n model.Network) Network {
	x := Network{Residual: model.DefaultResidual(), Margin: n.Margin, Kind: n.Kind(), Sparse: model.DefaultSparse()}
	switch b := n.Body.(type) {
	case model.Residual:
		x.Residual = b
	case model.Sparse:
		b.Features, b.Active, b.ActionFeatures, b.PerAction = 0, 0, 0, 0 // they are the game's
		x.Sparse = b
	}
	x.ActionRows, x.Sparse.ActionRows = x.Sparse.ActionRows, false
	return x
}

// Model returns the network; its For fits it to a game. Without a kind it is residual, as in the
// oldest runs.
func (n Network) Model() model.Network {
	if n.Kind == model.KindSparse {
		n.Sparse.ActionRows = n.ActionRows
		return model.Network{Margin: n.Margin, Body: n.Sparse}
	}
	return model.Network{Margin: n.Margin, Body: n.Residual}
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
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Network]()) {
		if key := f.Tag.Get("yaml"); !f.Anonymous && n.checkKey(key) == nil {
			settings = append(settings, yaml.MapItem{Key: key, Value: reflect.ValueOf(n).FieldByIndex(f.Index).Interface()})
		}
	}
	return yaml.Marshal(settings)
}
