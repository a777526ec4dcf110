// Package configs is the configuration of a run: the sum of what the packages
// below it can be told, with embedded presets, one YAML file each. Reading is
// strict: an unknown key, a wrong type or an impossible value is an error that
// names file, line and key.
package configs

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"

	"dojo/internal/regular"
	"dojo/mcts"
	"dojo/model"
	"dojo/run"
	"dojo/selfplay"
	"dojo/train"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Config is everything that decides what a run learns.
type Config struct {
	Game     string          `yaml:"game"` // engine.Spec.Name
	Seed     uint64          `yaml:"seed"` // of all randomness
	Network  model.Network   `yaml:"network"`
	MCTS     mcts.Config     `yaml:"mcts"` // of self-play; matches leave out the noise
	Selfplay selfplay.Config `yaml:"selfplay"`
	Train    train.Config    `yaml:"train"`
	Gate     train.Gate      `yaml:"gate"`
}

// Default is what a file need not say.
func Default() Config {
	return Config{
		Seed:     1,
		Network:  model.DefaultNetwork(),
		MCTS:     mcts.Default(),
		Selfplay: selfplay.Default(),
		Train:    train.Default(),
		Gate:     train.DefaultGate(),
	}
}

// Validate reports the first impossible value, naming its key.
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
		{"selfplay", c.Selfplay.Validate},
		{"train", c.Train.Validate},
		{"gate", c.Gate.Validate},
	} {
		if err := section.check(); err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
	}
	return nil
}

//go:embed *.yaml
var presets embed.FS

// Names lists the presets.
func Names() []string {
	files, err := fs.Glob(presets, "*.yaml")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".yaml")
	}
	return files
}

// Load reads a preset by name or a file by path, then applies the settings,
// each "key=value" with a dotted key such as "mcts.simulations=64".
func Load(name string, settings ...string) (Config, error) {
	text, err := presets.ReadFile(name + ".yaml")
	if err != nil {
		if filepath.Ext(name) == "" && !strings.ContainsRune(name, filepath.Separator) {
			return Config{}, fmt.Errorf("no preset is called %q; there are %s", name, strings.Join(Names(), ", "))
		}
		if text, err = regular.Read(name, run.MaxConfig); err != nil {
			return Config{}, fmt.Errorf("configuration: %w", err)
		}
	}
	c := Default()
	if m := decode(text, &c); m != nil {
		return Config{}, m.in(name)
	}
	if err := c.Validate(); err != nil {
		return Config{}, locate(text, err).in(name)
	}
	for _, s := range settings {
		if err := c.Set(s); err != nil {
			return Config{}, err
		}
	}
	if err := c.Validate(); err != nil {
		return Config{}, fmt.Errorf("--set %s: %w", strings.Join(settings, " --set "), err)
	}
	return c, nil
}

// Set applies one "key=value". Whether the value makes sense beside the
// others is for Validate to say.
func (c *Config) Set(setting string) error {
	key, value, ok := strings.Cut(setting, "=")
	if !ok || key == "" {
		return fmt.Errorf("--set %q is not of the form key=value", setting)
	}
	var text strings.Builder
	for depth, k := range strings.Split(key, ".") {
		fmt.Fprintf(&text, "\n%s%s:", strings.Repeat("  ", depth), k)
	}
	text.WriteString(" " + value)
	next := *c
	if m := decode([]byte(text.String()), &next); m != nil {
		return fmt.Errorf("--set %s: %w", setting, m.error)
	}
	*c = next
	return nil
}

// mistake is what is wrong with a text, and in which line; 0: not known.
type mistake struct {
	line int
	error
}

// in is the mistake in a file.
func (m *mistake) in(file string) error {
	if m.line == 0 {
		return fmt.Errorf("%s: %w", file, m.error)
	}
	return fmt.Errorf("%s:%d: %w", file, m.line, m.error)
}

// decode reads strict YAML over what is in v already.
func decode(text []byte, v any) *mistake {
	if m := readable(text); m != nil {
		return m
	}
	err := yaml.UnmarshalWithOptions(text, v, yaml.Strict())
	if err == nil {
		return whole(text)
	}
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		t := at.GetToken()
		return &mistake{t.Position.Line, fmt.Errorf("%s (at %q)", at.GetMessage(), strings.TrimSpace(t.Value))}
	}
	return &mistake{0, err}
}

// The decoder takes time with the square of the nesting, so that a small file
// of brackets would keep it busy for minutes. No configuration comes near these.
const (
	maxNesting = 32
	maxLine    = 1000 // bytes
)

// readable refuses texts that would take the decoder long.
func readable(text []byte) *mistake {
	depth, line := 0, 0
	for l := range bytes.Lines(text) {
		line++
		depth += bytes.Count(l, []byte("[")) + bytes.Count(l, []byte("{")) - bytes.Count(l, []byte("]")) - bytes.Count(l, []byte("}"))
		if len(l) > maxLine {
			return &mistake{line, fmt.Errorf("the line has %d bytes, more than %d", len(l), maxLine)}
		}
		if depth > maxNesting || bytes.Count(l, []byte("- ")) > maxNesting {
			return &mistake{line, fmt.Errorf("it nests deeper than %d", maxNesting)}
		}
	}
	return nil
}

// whole refuses numbers with a fraction where the program wants whole ones:
// the decoder would cut them off.
func whole(text []byte) *mistake {
	var fractions []string
	var visit func(t reflect.Type, path string)
	visit = func(t reflect.Type, path string) {
		for i := range t.NumField() {
			f := t.Field(i)
			key := path + "." + f.Tag.Get("yaml")
			switch f.Type.Kind() {
			case reflect.Struct:
				visit(f.Type, key)
			case reflect.Int, reflect.Uint64:
				fractions = append(fractions, key)
			}
		}
	}
	visit(reflect.TypeFor[Config](), "")
	for _, key := range fractions {
		p, err := yaml.PathString("$" + key)
		if err != nil {
			continue // a key that is not the file's
		}
		node, err := p.ReadNode(bytes.NewReader(text))
		if err != nil || node.Type() != ast.FloatType {
			continue
		}
		return &mistake{node.GetToken().Position.Line, fmt.Errorf("%s: %s is not a whole number", key[1:], node)}
	}
	return nil
}

// locate finds the line of the key that a Validate error begins with, such as
// "mcts: simulations: 0 is less than 1".
func locate(text []byte, err error) *mistake {
	line, path := 0, "$"
	for _, key := range strings.Split(err.Error(), ": ") {
		p, bad := yaml.PathString(path + "." + key)
		if bad != nil {
			break
		}
		node, bad := p.ReadNode(strings.NewReader(string(text)))
		if bad != nil {
			break
		}
		line, path = node.GetToken().Position.Line, path+"."+key
	}
	return &mistake{line, err}
}
