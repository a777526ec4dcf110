package configs

import (
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// knownKeys lists the keys that could stand at a token of a file that is decoded into v: "mcts
// has simulations, cpuct, …". It is "" if the token is not a key.
func knownKeys(file *ast.File, t *token.Token, v any) string {
	find := keyFinder{token: t}
	ast.Walk(&find, file.Docs[0].Body)
	path := strings.Split(strings.TrimPrefix(find.path, "$"), ".")
	if len(path) < 2 {
		return ""
	}
	section, of := "a configuration", reflect.TypeOf(v)
	for _, key := range path[1 : len(path)-1] {
		if i := strings.IndexByte(key, '['); i >= 0 {
			key = key[:i]
		}
		section, of = key, fieldType(of, key)
	}
	if keys := keysOf(of); len(keys) > 0 {
		return section + " has " + strings.Join(keys, ", ")
	}
	return ""
}

// keyFinder finds the path of a token.
type keyFinder struct {
	token *token.Token
	path  string
}

// Visit looks at a node; see ast.Walk.
func (k *keyFinder) Visit(n ast.Node) ast.Visitor {
	if m, ok := n.(*ast.MappingValueNode); ok && m.Key.GetToken().Position.Offset == k.token.Position.Offset {
		k.path = m.Key.GetPath()
	}
	return k
}

// element returns the type behind pointers and lists.
func element(t reflect.Type) reflect.Type {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	return t
}

// fieldType returns the type of a key of a struct; nil if it has none.
func fieldType(t reflect.Type, key string) reflect.Type {
	if t = element(t); t != nil && t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			if yamlKey(t.Field(i)) == key {
				return t.Field(i).Type
			}
		}
	}
	return nil
}

// keysOf lists the keys of a struct.
func keysOf(t reflect.Type) (keys []string) {
	if t = element(t); t != nil && t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			if key := yamlKey(t.Field(i)); key != "" && key != "-" {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func yamlKey(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return key
}
