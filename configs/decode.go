package configs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Decode reads the text of the named file into v, a pointer to a struct, as strictly as a
// preset. It keeps values of v for which the text has no key.
func Decode(name string, text []byte, v any) error {
	if m := decode(text, v); m != nil {
		return m.in(name)
	}
	return nil
}

// mistake is an error in a text, with its line, or 0 if that is unknown.
type mistake struct {
	line int
	error
}

// in returns the mistake as an error in the named file.
func (m *mistake) in(file string) error {
	if m.line == 0 {
		return fmt.Errorf("%s: %w", file, m.error)
	}
	return fmt.Errorf("%s:%d: %w", file, m.line, m.error)
}

// decode is Decode without the name of the file.
func decode(text []byte, v any) *mistake {
	if m := readable(text); m != nil {
		return m
	}
	file, err := parser.ParseBytes(retired.ReplaceAll(text, nil), 0)
	if err == nil {
		if len(file.Docs) == 0 || file.Docs[0].Body == nil {
			return nil
		}
		err = yaml.NodeToValue(file.Docs[0].Body, v, yaml.Strict())
	}
	if err == nil || errors.As(err, new(*yaml.UnknownFieldError)) {
		if m := check(file.Docs[0].Body, reflect.TypeOf(v).Elem(), ""); m != nil || err == nil {
			return m
		}
	}
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		t := at.GetToken()
		return &mistake{t.Position.Line, fmt.Errorf("%s (at %q)", message(at), strings.TrimSpace(t.Value))}
	}
	return &mistake{0, err}
}

// retired are the lines of keys that no longer have an effect: mcts.cache.
var retired = regexp.MustCompile(`(?m)^ +cache: *[0-9]+`)

// message returns an error of the decoder without the terms of Go.
func message(err yaml.Error) string {
	var unfit *yaml.TypeError
	var overflow *yaml.OverflowError
	var node *yaml.UnexpectedNodeTypeError
	switch {
	case errors.As(err, &unfit):
		return fmt.Sprintf("%s is wanted", wanted(unfit.DstType.Kind()))
	case errors.As(err, &overflow):
		return fmt.Sprintf("%s of at most 64 bits is wanted", wanted(overflow.DstType.Kind()))
	}
	if errors.As(err, &node) && node.Expected == ast.MappingType {
		return "lines of the form key: value are wanted"
	}
	return err.GetMessage()
}

// wanted describes the values of a key.
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

// The decoder's time grows with the square of the nesting: a small file of brackets
// would take minutes. No configuration comes near these limits.
const (
	maxNesting = 32
	maxLine    = 1000 // bytes
)

// readable refuses texts that would take the decoder a long time.
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

// check refuses keys that a value of type t does not have, and what the decoder would silently
// change: keys without a value, which would keep their defaults, and, for whole numbers,
// fractions and numbers that are too large. path is the dotted key of the node.
func check(node ast.Node, t reflect.Type, path string) *mistake {
	if list, ok := node.(*ast.SequenceNode); ok && t.Kind() == reflect.Slice {
		for _, v := range list.Values {
			if m := check(v, t.Elem(), path); m != nil {
				return m
			}
		}
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	keys, types := keysOf(t)
	for _, entry := range entries(node) {
		key := entry.Key.GetToken()
		i := slices.Index(keys, key.Value)
		if i < 0 {
			section := cmp.Or(path[strings.LastIndexByte(path, '.')+1:], "a configuration")
			return &mistake{key.Position.Line, fmt.Errorf("unknown key %q; %s has %s", key.Value, section, strings.Join(keys, ", "))}
		}
		at := strings.TrimPrefix(path+"."+key.Value, ".")
		if err := keepsValue(entry.Value, types[i].Kind()); err != nil {
			return &mistake{entry.Value.GetToken().Position.Line, fmt.Errorf("%s: %w", at, err)}
		}
		if m := check(entry.Value, types[i], at); m != nil {
			return m
		}
	}
	return nil
}

// entries lists the keys and values of a mapping.
func entries(node ast.Node) []*ast.MappingValueNode {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// keysOf lists the keys of a struct, those of embedded ones included, and their types.
func keysOf(t reflect.Type) (keys []string, types []reflect.Type) {
	for f := range t.Fields() {
		if f.Anonymous {
			k, of := keysOf(f.Type)
			keys, types = append(keys, k...), append(types, of...)
		} else if key, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); key != "" && key != "-" {
			keys, types = append(keys, key), append(types, f.Type)
		}
	}
	return keys, types
}

// find returns the value of a dotted key, if the file has it.
func find(file *ast.File, key string) (ast.Node, bool) {
	path, err := yaml.PathString("$" + key)
	if err != nil {
		return nil, false // not a key of YAML
	}
	node, err := path.FilterFile(file)
	return node, err == nil && node != nil
}

// keepsValue returns an error if decoding a node as kind would change its value.
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
	line, path := 0, ""
	if file, bad := parser.ParseBytes(text, 0); bad == nil {
		for _, key := range strings.Split(err.Error(), ": ") {
			path += "." + key
			node, ok := find(file, path)
			if !ok {
				break
			}
			line = node.GetToken().Position.Line
		}
	}
	return &mistake{line, err}
}
