package main

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// fields knows where the fields of package kernel's structs lie on processors of 64 bits.
type fields struct{ pkg *types.Package }

// loadFields reads package kernel as a processor without generated kernels sees it.
func loadFields() (fields, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedTypes | packages.NeedImports | packages.NeedDeps}, "dojo/model/kernel")
	if err != nil {
		return fields{}, err
	}
	if len(loaded) != 1 || len(loaded[0].Errors) > 0 {
		return fields{}, fmt.Errorf("package kernel cannot be read: %v", loaded[0].Errors)
	}
	return fields{loaded[0].Types}, nil
}

// offset is the distance of a field from the beginning of a struct.
func (f fields) offset(name, field string) int {
	s := f.pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct)
	var all []*types.Var
	for i := range s.NumFields() {
		all = append(all, s.Field(i))
	}
	for i, at := range types.SizesFor("gc", "arm64").Offsetsof(all) {
		if all[i].Name() == field {
			return int(at)
		}
	}
	panic("no field " + field + " in " + name)
}
