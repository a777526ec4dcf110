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

// Decode reads the YAML text of the named file into v, a pointer to a struct. It is as strict as
// [Load] is for a preset. Fields of v for which the text has no key keep their values.
func Decode(name string, text []byte, v any) error {
	if m := decode(text, v); m != nil {
		return m.in(name)
	}
	return nil
}

// A mistake is an error in a text, with the line in which it occurs. Line 0 means that the line is
// unknown.
type mistake struct {
	line int
	error
}

// in returns an error that names the file, the line and the mistake.
func (m *mistake) in(file string) error {
	if m.line == 0 {
		return fmt.Errorf("%s: %w", file, m.error)
	}
	return fmt.Errorf("%s:%d: %w", file, m.line, m.error)
}

// decode is like Decode, but its error does not name the file.
func decode(text []byte, v any) *mistake {
	if m := readable(text); m != nil {
		return m
	}
	body, m := parse(retired.ReplaceAll(text, nil))
	if m != nil || body == nil {
		return m
	}
	if m := check(body, reflect.TypeOf(v).Elem(), ""); m != nil {
		return m
	}
	if err := yaml.NodeToValue(body, v); err != nil {
		return mistakeOf(err)
	}
	return nil
}

// parse returns the root node of a YAML text, or nil if the text is empty. A second YAML document
// in the text, after a line ---, is an error.
func parse(text []byte) (ast.Node, *mistake) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, mistakeOf(err)
	}
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case body == nil:
			body = doc.Body
		default:
			return nil, &mistake{doc.Body.GetToken().Position.Line, errors.New("a second YAML document begins; a file may have only one, so remove the line ---")}
		}
	}
	return body, nil
}

// mistakeOf converts an error of the YAML parser or decoder into a mistake.
func mistakeOf(err error) *mistake {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		t := at.GetToken()
		return &mistake{t.Position.Line, fmt.Errorf("%s (at %q)", at.GetMessage(), strings.TrimSpace(t.Value))}
	}
	return &mistake{0, err}
}

// retired matches a line with a key that no longer has an effect. The only such key is mcts.cache.
var retired = regexp.MustCompile(`(?m)^ +cache: *[0-9]+`)

// The time that the YAML decoder needs grows with the square of the nesting depth. Without these
// limits, decoding a small file of brackets would take minutes. Real configurations stay far below
// the limits.
const (
	maxNesting = 32
	maxLine    = 1000 // in bytes
)

// readable rejects texts that the decoder would take a long time to read.
func readable(text []byte) *mistake {
	depth, line := 0, 0
	for l := range bytes.Lines(text) {
		line++
		depth += bytes.Count(l, []byte("[")) + bytes.Count(l, []byte("{")) - bytes.Count(l, []byte("]")) - bytes.Count(l, []byte("}"))
		if len(l) > maxLine {
			return &mistake{line, fmt.Errorf("the line has %d bytes; at most %d are allowed", len(l), maxLine)}
		}
		if depth > maxNesting || bytes.Count(l, []byte("- ")) > maxNesting {
			return &mistake{line, fmt.Errorf("it is nested more than %d levels deep", maxNesting)}
		}
	}
	return nil
}

// check returns a mistake if the text contains a key that a value of type t does not have, or a
// value of the wrong type. It also rejects values that the decoder would silently change: a missing
// value (the decoder would keep the default), and a fraction or a too large number where t needs an
// integer. path is the dotted key of the node.
func check(node ast.Node, t reflect.Type, path string) *mistake {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if err := fits(node, t); err != nil {
		if path != "" {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return &mistake{node.GetToken().Position.Line, err}
	}
	if list, ok := node.(*ast.SequenceNode); ok && t.Kind() == reflect.Slice {
		for _, v := range list.Values {
			if m := check(v, t.Elem(), path); m != nil {
				return m
			}
		}
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
			return &mistake{key.Position.Line, fmt.Errorf("unknown key %q; the keys of %s are %s", key.Value, section, strings.Join(keys, ", "))}
		}
		if m := check(entry.Value, types[i], strings.TrimPrefix(path+"."+key.Value, ".")); m != nil {
			return m
		}
	}
	return nil
}

// entries lists the key-value pairs of a mapping. It returns nil if node is not a mapping.
func entries(node ast.Node) []*ast.MappingValueNode {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// find follows a path of keys down from a mapping as far as they exist. n is the number of keys
// found. value is the node of the last of these keys, and line is the line of that key.
func find(node ast.Node, keys ...string) (value ast.Node, n, line int) {
	for _, key := range keys {
		all := entries(node)
		i := slices.IndexFunc(all, func(e *ast.MappingValueNode) bool { return e.Key.GetToken().Value == key })
		if i < 0 {
			break
		}
		node, n, line = all[i].Value, n+1, all[i].Key.GetToken().Position.Line
	}
	return node, n, line
}

// keysOf lists the keys of a struct and their types. It includes the keys of embedded structs.
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

// octal matches a number that has a leading zero and at least one more digit, which YAML may read
// as an octal number.
var octal = regexp.MustCompile(`^([+-]?)0[0_]*([0-9].*)$`)

// isNumber reports whether a kind is one of the number types that configurations use.
func isNumber(k reflect.Kind) bool {
	return k == reflect.Int || k == reflect.Uint64 || k == reflect.Float32 || k == reflect.Float64
}

// fits returns an error unless the text of node is a valid value of type t.
func fits(node ast.Node, t reflect.Type) (err error) {
	text, _, _ := strings.Cut(strings.TrimSpace(node.String()), "\n")
	fit, want := true, ""
	if octal.MatchString(text) && isNumber(t.Kind()) {
		return fmt.Errorf("%s begins with a zero, so YAML would read it as an octal number; write %s", text, octal.ReplaceAllString(text, "$1$2"))
	}
	switch kind := t.Kind(); {
	case node.Type() == ast.NullType || kind == reflect.String && text == "":
		return errors.New("the value is missing")
	case kind == reflect.Struct:
		if k := node.Type(); k != ast.MappingType && k != ast.MappingValueType {
			return errors.New("lines of the form key: value are expected here")
		}
	case kind == reflect.Int:
		want = "a whole number"
		_, err = strconv.ParseInt(text, 0, strconv.IntSize)
	case kind == reflect.Uint64:
		want = "a whole number, 0 or more, of at most 64 bits"
		_, err = strconv.ParseUint(text, 0, 64)
	case kind == reflect.Float32 || kind == reflect.Float64:
		want = "a number"
		_, err = strconv.ParseFloat(text, t.Bits())
	case kind == reflect.Bool:
		want, fit = "true or false", node.Type() == ast.BoolType
	case kind == reflect.String:
		want = "a text"
		_, fit = node.(ast.ScalarNode)
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s is too large", text)
	case err != nil || !fit:
		return fmt.Errorf("%s is not %s", text, want)
	}
	return nil
}

// locate finds the line to which an error of Validate refers. The error text begins with the path
// of a key, as in "mcts: simulations: 0 is less than 1".
func locate(text []byte, err error) *mistake {
	body, _ := parse(text)
	_, _, line := find(body, strings.Split(err.Error(), ": ")...)
	return &mistake{line, err}
}
