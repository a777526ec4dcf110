// Package configs is the configuration of a run: the sum of what the packages
// below it can be told, with embedded presets, one YAML file each. Reading is
// strict: an unknown key, a wrong type or an impossible value is an error that
// names file, line and key.
package configs

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"dojo/data"
	"dojo/internal/regular"
	"dojo/mcts"
	"dojo/model"
	"dojo/run"
	"dojo/selfplay"
	"dojo/train"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
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
	Data     data.Config     `yaml:"data"`
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
		{"data", func() error { return c.Data.Validate(c.Train.WindowMax) }},
	} {
		if err := section.check(); err != nil {
			return fmt.Errorf("%s: %w", section.name, err)
		}
	}
	return nil
}

// JSON is the configuration with the keys that it has in YAML.
func (c Config) JSON() (json.RawMessage, error) {
	text, err := yaml.MarshalWithOptions(c, yaml.JSON())
	return text, err
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

// A NameError is about a preset or a setting that there is not, or a value that is none
// of a setting's.
type NameError struct{ error }

// Load reads a preset by name or a file by path, which may be another run's
// run.yaml, then applies the settings, each "key=value" with a dotted key such
// as "mcts.simulations=64".
func Load(name string, settings ...string) (Config, error) {
	text, err := presets.ReadFile(name + ".yaml")
	if err != nil {
		if filepath.Ext(name) == "" && !strings.ContainsRune(name, filepath.Separator) {
			return Config{}, NameError{fmt.Errorf("no preset is called %q; there are %s", name, strings.Join(Names(), ", "))}
		}
		if text, err = regular.Read(name, run.MaxConfig); err != nil {
			return Config{}, fmt.Errorf("configuration: %w", err)
		}
	}
	c, err := parse(name, text)
	if err != nil {
		return Config{}, err
	}
	for _, s := range settings {
		if err := c.Set(s); err != nil {
			return Config{}, err
		}
	}
	if err := c.Validate(); err != nil {
		return Config{}, NameError{fmt.Errorf("--set %s: %w", strings.Join(settings, " --set "), err)}
	}
	return c, nil
}

// parse reads the text of the named preset, or of a run.yaml.
func parse(name string, text []byte) (Config, error) {
	if isFrozen(text) {
		f, err := thaw(name, text)
		return f.Config, err
	}
	c := Default()
	if m := decode(text, &c); m != nil {
		return Config{}, m.in(name)
	}
	if err := c.Validate(); err != nil {
		return Config{}, locate(text, err).in(name)
	}
	return c, nil
}

// Set applies one "key=value". Whether the value makes sense beside the
// others is for Validate to say.
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

// Decode reads the text of the named file, as strict as a preset's, over what is in v, a
// pointer to a struct, already.
func Decode(name string, text []byte, v any) error {
	if m := decode(text, v); m != nil {
		return m.in(name)
	}
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
		return literal(text, v)
	}
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		t := at.GetToken()
		return &mistake{t.Position.Line, fmt.Errorf("%s (at %q)", message(at), strings.TrimSpace(t.Value))}
	}
	return &mistake{0, err}
}

// message is what an error of the decoder says, without words of Go.
func message(err yaml.Error) string {
	var unfit *yaml.TypeError
	var overflow *yaml.OverflowError
	switch {
	case errors.As(err, &unfit):
		return fmt.Sprintf("%s is wanted", wanted(unfit.DstType.Kind()))
	case errors.As(err, &overflow):
		return fmt.Sprintf("%s of at most 64 bits is wanted", wanted(overflow.DstType.Kind()))
	}
	return err.GetMessage()
}

// wanted says in words what a key takes.
func wanted(kind reflect.Kind) string {
	switch kind {
	case reflect.Int:
		return "a whole number"
	case reflect.Uint64:
		return "a whole number, 0 or more,"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	}
	return "another value"
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

// literal refuses what the decoder would silently make another value of: a key
// without a value, which would keep its default, and in the place of whole
// numbers those with a fraction, which it would cut off, and those too large,
// which it would wrap around.
func literal(text []byte, v any) *mistake {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return &mistake{0, err} // which the decoder has not found
	}
	var bad *mistake
	var visit func(t reflect.Type, path string)
	visit = func(t reflect.Type, path string) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			key := path + "." + name
			node, ok := find(file, key)
			if !ok || bad != nil || strings.HasSuffix(key, ".-") {
				continue
			}
			if err := keepsValue(node, f.Type.Kind()); err != nil {
				bad = &mistake{node.GetToken().Position.Line, fmt.Errorf("%s: %w", key[1:], err)}
			}
			if f.Type.Kind() == reflect.Struct {
				visit(f.Type, key)
			}
		}
	}
	visit(reflect.TypeOf(v).Elem(), "")
	return bad
}

// find is the value of a dotted key; false: the file does not have it.
func find(file *ast.File, key string) (ast.Node, bool) {
	path, err := yaml.PathString("$" + key)
	if err != nil {
		return nil, false // a key that is not the file's
	}
	node, err := path.FilterFile(file)
	return node, err == nil && node != nil
}

// keepsValue is an error where a node, decoded as kind, would be another value.
func keepsValue(node ast.Node, kind reflect.Kind) (err error) {
	text := strings.TrimSpace(node.String())
	switch {
	case node.Type() == ast.NullType:
		return errors.New("it has no value")
	case kind == reflect.String && text == "":
		return errors.New("it has no value")
	case kind == reflect.Int:
		_, err = strconv.ParseInt(text, 0, strconv.IntSize)
	case kind == reflect.Uint64:
		_, err = strconv.ParseUint(text, 0, 64)
	default:
		return nil
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s is too large", text)
	case err != nil:
		return fmt.Errorf("%s is not a whole number", text)
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
