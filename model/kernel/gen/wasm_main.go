package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
)

// writeWasm writes the modules of both dialects to a folder: functions that compute whole
// layers on the memory of Go's program. args is the Go file with their arguments.
func writeWasm(args, folder string) error {
	for _, d := range []dialect{{level: simdLevel}, {level: relaxedLevel, relaxed: true}} {
		structs, err := wasmStructs(args)
		if err != nil {
			return err
		}
		m := &module{}
		layer := d.with(structs["layerArgs"])
		for _, t := range wasmTiles() {
			layer.tile(m, t)
		}
		layer.layer(m, "conv3", 3)
		layer.layer(m, "conv1", 1)
		layer.layerInFloats(m, "floats")
		list := d.with(structs["listArgs"])
		list.columns(m, "columns")
		list.logits(m, "logits")
		list.round(m, "round")
		if d.relaxed {
			d.fused(m, "fused")
		}
		if err := os.WriteFile(filepath.Join(folder, d.name+".wasm"), m.encode(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// with returns the dialect for arguments with these fields.
func (d dialect) with(fields map[string]int) dialect {
	d.fields = fields
	return d
}

// wasmStructs reads the structs of a Go file: the offset of each field, all of which take
// eight bytes.
func wasmStructs(path string) (map[string]map[string]int, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		body, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		fields := map[string]int{}
		for _, f := range body.Fields.List {
			for _, name := range f.Names {
				fields[name.Name] = 8 * len(fields)
			}
		}
		all[spec.Name.Name] = fields
		return true
	})
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no structs", path)
	}
	return all, nil
}
