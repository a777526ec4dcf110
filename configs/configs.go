// Package configs reads and writes the configuration of a run. A configuration combines the
// configurations of the packages that a run uses. Presets are YAML files that are embedded in the
// program. Reading is strict: an unknown key, a value of the wrong type or an impossible value is
// an error that names file, line and key.
package configs

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/internal/regular"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
	"dojo.example/selfplay"
	"dojo.example/train"

	"github.com/goccy/go-yaml"
)

// Config holds everything that determines what a run learns.
type Config struct {
	Game    string  `yaml:"game"` // name of the game, as in engine.Spec.Name
	Seed    uint64  `yaml:"seed"` // determines all random numbers of the run
	Network Network `yaml:"network"`
	// MCTS configures the search in self-play. The run's own matches use it too, but without noise.
	MCTS     mcts.Config     `yaml:"mcts"`
	Selfplay selfplay.Config `yaml:"selfplay"`
	Train    train.Config    `yaml:"train"`
	Gate     train.Gate      `yaml:"gate"`
	Data     data.Config     `yaml:"data"`

	// Players holds the search constants for playing with the run's trained models. Each model
	// stores them. In a run of an older program Players is zero: the models of such a run store no
	// constants, and they play with the default constants.
	Players mcts.Constants `yaml:"players,omitempty"`
}

// Default returns the configuration with the default value of every key. A configuration file may
// leave out keys that have a default.
func Default() Config {
	return Config{
		Seed:     1,
		Network:  NetworkOf(model.Network{Body: model.DefaultSparse()}),
		MCTS:     mcts.Default(),
		Players:  think.Players(),
		Selfplay: selfplay.Default(),
		Train:    train.Default(),
		Gate:     train.DefaultGate(),
	}
}

// Complete returns the configuration with a players section. If the configuration has none, as in
// the run.yaml of an older program, Complete adds the default section.
func (c Config) Complete() Config {
	if c.Players == (mcts.Constants{}) {
		c.Players = think.Players()
	}
	return c
}

// Validate returns an error that names the key of the first impossible value.
func (c Config) Validate() error {
	if c.Game == "" {
		return errors.New("game: missing")
	}
	for _, section := range []struct {
		name  string
		check func() error
	}{
		{"network", c.Network.Validate},
		{"mcts", c.MCTS.Validate},
		{"players", c.Complete().Players.Validate},
		{"selfplay", c.Selfplay.Validate},
		{"train", c.Train.Validate},
		{"gate", c.Gate.Validate},
		{"data", func() error { return c.Data.Validate(c.Train.WindowMax) }},
	} {
		if err := section.check(); err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
	}
	return nil
}

// JSON returns the configuration as JSON, with the same keys as in YAML.
func (c Config) JSON() (json.RawMessage, error) {
	text, err := yaml.MarshalWithOptions(c, yaml.JSON())
	return text, err
}

//go:embed *.yaml
var presets embed.FS

// Names returns the names of the presets.
func Names() []string {
	files, err := fs.Glob(presets, "*.yaml")
	if err != nil {
		panic(err) // cannot happen: the pattern is a valid constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".yaml")
	}
	return files
}

// A NameError reports an unknown preset, an unknown setting, or a wrong value of a setting.
type NameError struct{ error }

// Load reads a preset by its name, or a file by its path. The file may be the run.yaml of another
// run. Then Load applies the settings. Each setting has the form "key=value" with a dotted key,
// such as "mcts.simulations=64". A network is either sparse or residual. A size of a sparse network
// is an error if the configured network is residual, and vice versa, both in the file and in the
// settings.
func Load(name string, settings ...string) (Config, error) {
	text, err := presetText(name)
	if err != nil {
		return Config{}, err
	}
	c, err := read(name, text)
	if err != nil {
		return Config{}, err
	}
	for _, s := range settings {
		if err := c.Set(s); err != nil {
			return Config{}, err
		}
	}
	for _, s := range settings {
		key, _, _ := strings.Cut(s, "=")
		if size, ok := strings.CutPrefix(key, "network."); ok {
			if err := c.Network.checkKey(size); err != nil {
				return Config{}, NameError{fmt.Errorf("--set %s: network: %w", s, err)}
			}
		}
	}
	if err := c.Validate(); err != nil {
		return Config{}, NameError{fmt.Errorf("--set %s: %w", strings.Join(settings, " --set "), err)}
	}
	c.Network = c.Network.only()
	return c, nil
}

// presetText returns the text of the preset with this name, or of the file at this path.
func presetText(name string) ([]byte, error) {
	text, err := presets.ReadFile(name + ".yaml")
	if err == nil {
		return text, nil
	}
	if filepath.Ext(name) == "" && !strings.ContainsRune(name, filepath.Separator) {
		return nil, NameError{fmt.Errorf("no preset is called %q; the presets are %s", name, strings.Join(Names(), ", "))}
	}
	if text, err = regular.ReadText(name, rundir.MaxConfig); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return text, nil
}

// read reads a configuration from the text of a preset or a run.yaml. name is the file's name in
// error messages.
func read(name string, text []byte) (Config, error) {
	if isFrozen(text) {
		f, err := thaw(name, text)
		return f.Config.Complete(), err
	}
	c := Default()
	if m := decode(text, &c); m != nil {
		return Config{}, m.in(name)
	}
	if err := c.Validate(); err != nil {
		return Config{}, locate(text, err).in(name)
	}
	if m := otherKind(text, c.Network); m != nil {
		return Config{}, m.in(name)
	}
	return c, nil
}

// otherKind returns a mistake for the first size in a configuration's text that belongs to the
// other kind of network: a size of residual networks if n is sparse, and vice versa.
func otherKind(text []byte, n Network) *mistake {
	body, _ := parse(text) // cannot fail: the text has been decoded before
	section, found, _ := find(body, "network")
	if found == 0 {
		return nil
	}
	for _, size := range entries(section) {
		key := size.Key.GetToken()
		if err := n.checkKey(key.Value); err != nil {
			return &mistake{key.Position.Line, fmt.Errorf("network: %w", err)}
		}
	}
	return nil
}

// Set applies one "key=value" setting. It does not check whether the value is possible; call
// Validate for that.
func (c *Config) Set(setting string) error {
	key, value, ok := strings.Cut(setting, "=")
	if !ok || key == "" {
		return NameError{fmt.Errorf("--set %q is not of the form key=value", setting)}
	}
	var text strings.Builder
	for depth, k := range strings.Split(key, ".") {
		fmt.Fprintf(&text, "\n%s%s:", strings.Repeat("  ", depth), k)
	}
	text.WriteString(" " + value)
	next := *c
	if m := decode([]byte(text.String()), &next); m != nil {
		return NameError{fmt.Errorf("--set %s: %w", setting, m.error)}
	}
	*c = next
	return nil
}
