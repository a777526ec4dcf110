package deps

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "dojo.example"

// source holds the facts about a package that the rules need.
type source struct {
	doc     string
	imports []string
}

// systems lists the combinations of operating system and processor for which packages have separate
// files.
var systems = [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"js", "wasm"}}

func TestImports(t *testing.T) {
	packages, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range check(packages, allowed, forbidden) {
		t.Error(broken)
	}
}

// read finds the packages of the module in the folder root, with their imports on all systems. It
// reads the source files itself instead of calling the go command, so that go test knows which
// files the test depends on and does not use a cached result after one of them has changed.
func read(root string) (map[string]source, error) {
	packages := map[string]source{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if path != root {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if err == nil || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata" {
				return filepath.SkipDir
			}
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, system := range systems {
			context := build.Default
			context.GOOS, context.GOARCH = system[0], system[1]
			found, err := context.ImportDir(path, 0)
			if none := (*build.NoGoError)(nil); errors.As(err, &none) {
				continue
			}
			if err != nil {
				return err
			}
			if len(found.GoFiles) == 0 {
				continue
			}
			p := packages[filepath.ToSlash(name)]
			p.doc = found.Doc
			p.imports = append(p.imports, found.Imports...)
			slices.Sort(p.imports)
			p.imports = slices.Compact(p.imports)
			packages[filepath.ToSlash(name)] = p
		}
		return nil
	})
	return packages, err
}

// check returns one sentence for each import that breaks a rule, for each package without a rule,
// and for each rule that no package needs.
func check(packages map[string]source, allowed, forbidden map[string][]string) (broken []string) {
	complain := func(format string, a ...any) { broken = append(broken, fmt.Sprintf(format, a...)) }
	used := map[string]bool{} // rules that some package needs; the code below names them
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		p := packages[name]
		if p.doc == "" {
			complain("%s has no doc comment", name)
		}
		rule, ok := longest(slices.Collect(maps.Keys(allowed)), name)
		if !ok {
			complain("%s has no rule of what it may import: add one", name)
			continue
		}
		used[rule] = true
		for _, path := range p.imports {
			own, ours := strings.CutPrefix(path, module+"/")
			if !ours || strings.HasPrefix(own, "internal/") {
				continue
			}
			permit, ok := longest(allowed[rule], own)
			if !ok {
				complain("%s imports %s, which the rules do not allow", name, own)
			}
			used[rule+" imports "+permit] = true
		}
		if rule, ok := longest(slices.Collect(maps.Keys(forbidden)), name); ok {
			used["forbidden in "+rule] = true
			for _, way := range reach(packages, name, nil) {
				last := way[len(way)-1]
				if _, ok := longest(forbidden[rule], last); ok {
					complain("%s imports %s, which is forbidden there", name, strings.Join(way, ", which imports "))
				}
			}
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(allowed)) {
		if !used[rule] {
			complain("the rule of what %s may import is for no package: remove it", rule)
			continue
		}
		for _, permit := range allowed[rule] {
			if !used[rule+" imports "+permit] {
				complain("the rule that %s may import %s is used by no import: remove it", rule, permit)
			}
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(forbidden)) {
		if !used["forbidden in "+rule] {
			complain("the rule of what is forbidden in %s is for no package: remove it", rule)
		}
	}
	return broken
}

// reach finds the direct imports of a package, and its indirect imports through packages in
// internal. For each import, it returns the chain of imports that leads to it and ends with it.
func reach(packages map[string]source, name string, before []string) (ways [][]string) {
	for _, path := range packages[name].imports {
		way := append(slices.Clone(before), path)
		ways = append(ways, way)
		if own, ours := strings.CutPrefix(path, module+"/"); ours && strings.HasPrefix(own, "internal/") {
			ways = append(ways, reach(packages, own, way)...)
		}
	}
	return ways
}

// longest returns the longest of the patterns that match a package name. A pattern is a name, or a
// path that ends in "...".
func longest(patterns []string, name string) (string, bool) {
	best, found := "", false
	for _, pattern := range patterns {
		if pattern == name {
			return name, true
		}
		below, all := strings.CutSuffix(pattern, "...")
		if all && strings.HasPrefix(name, below) && len(pattern) >= len(best) {
			best, found = pattern, true
		}
	}
	return best, found
}
