package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dojo.example/internal/licences"
)

// A bill is a bill of materials: the modules that are linked into a program, in version
// 1.6 of CycloneDX (https://cyclonedx.org/docs/1.6/json/). The format's time and serial
// number are left out, so that the same program has the same bill.
type bill struct {
	Format   string `json:"bomFormat"`
	Spec     string `json:"specVersion"`
	Version  int    `json:"version"` // of this bill
	Metadata struct {
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
	Depends    [1]struct { // what the program is made of
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn,omitempty"`
	} `json:"dependencies"`
}

// A component is a program or a module.
type component struct {
	Type       string              `json:"type"`
	Ref        string              `json:"bom-ref"`
	Name       string              `json:"name"`
	Version    string              `json:"version"`
	Hashes     []map[string]string `json:"hashes,omitempty"`
	Licences   []map[string]string `json:"licenses"` // SPDX expressions
	URL        string              `json:"purl"`
	Properties []map[string]string `json:"properties,omitempty"`
}

func (c *component) set(name, value string) {
	c.Properties = append(c.Properties, map[string]string{"name": name, "value": value})
}

// billOf reads from a program what the go command has written into it.
func billOf(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1}
	program := &b.Metadata.Component
	if *program, err = newComponent("application", info.Main.Path, info.Main.Version, licences.Own); err != nil {
		return nil, err
	}
	program.Hashes = []map[string]string{{"alg": "SHA-256", "content": fmt.Sprintf("%x", sha256.Sum256(content))}}
	program.set("file", filepath.Base(path))
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "GO") || strings.HasPrefix(s.Key, "vcs") {
			program.set(s.Key, s.Value)
		}
	}
	std, err := newComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go"), licences.Go)
	if err != nil {
		return nil, err
	}
	b.Components = []component{std}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c, err := newComponent("library", m.Path, m.Version, m.Path)
		if err != nil {
			return nil, err
		}
		c.set("go.sum", m.Sum)
		b.Components = append(b.Components, c)
	}
	b.Depends[0].Ref = program.Ref
	for _, c := range b.Components {
		b.Depends[0].On = append(b.Depends[0].On, c.Ref)
	}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// newComponent makes a component with the licence of a section of package licences; see
// https://github.com/package-url for the URL.
func newComponent(kind, path, version, section string) (component, error) {
	spdx := licences.SPDX(section)
	if spdx == "" {
		return component{}, fmt.Errorf("%s has no licence in package licences: go generate ./internal/licences", path)
	}
	version = strings.Trim(version, "()") // a URL cannot have Go's "(devel)"
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: kind, Ref: url, Name: path, Version: version, Licences: []map[string]string{{"expression": spdx}}, URL: url}, nil
}
