package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"dojo/internal/licences"
)

// A bill is a bill of materials: the modules that are linked into a program, in version
// 1.6 of CycloneDX (https://cyclonedx.org/docs/1.6/json/). The format's time and serial
// number are left out, so that the same program has the same bill.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"` // of this bill
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
	Depends    []depends   `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

// A component is a program or a module.
type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []licence  `json:"licenses"`
	URL        string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	Expression string `json:"expression"` // SPDX
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// depends says what a component is made of.
type depends struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn,omitempty"`
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
	program, err := newComponent("application", info.Main.Path, info.Main.Version, licences.SPDX(licences.Own))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	program.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	program.Properties = []property{{"file", filepath.Base(path)}}
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "GO") || strings.HasPrefix(s.Key, "vcs") {
			program.Properties = append(program.Properties, property{s.Key, s.Value})
		}
	}
	std, err := newComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go"), licences.SPDX(licences.Go))
	if err != nil {
		return nil, err
	}
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{program}, Components: []component{std}}
	for _, m := range info.Deps {
		c, err := moduleComponent(m)
		if err != nil {
			return nil, err
		}
		b.Components = append(b.Components, c)
	}
	all := depends{Ref: program.Ref}
	for _, c := range b.Components {
		all.On = append(all.On, c.Ref)
	}
	b.Depends = []depends{all}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// moduleComponent is the component of a module that is linked.
func moduleComponent(m *debug.Module) (component, error) {
	if m.Replace != nil {
		m = m.Replace
	}
	c, err := newComponent("library", m.Path, m.Version, licences.SPDX(m.Path))
	c.Properties = []property{{"go.sum", m.Sum}}
	return c, err
}

// newComponent makes a component; see https://github.com/package-url for the URL.
func newComponent(kind, path, version, spdx string) (component, error) {
	if spdx == "" {
		return component{}, fmt.Errorf("%s has no licence in package licences: go generate ./internal/licences", path)
	}
	version = strings.Trim(version, "()") // Go's "(devel)" is no text for a URL
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: kind, Ref: url, Name: path, Version: version, Licences: []licence{{spdx}}, URL: url}, nil
}
