package process

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"dojo.example/internal/scratch"
)

// Module is the path of the module dojo.
const Module = "dojo.example"

// own returns the main package of this program and the path of its module. The module is dojo
// itself, or another module that uses dojo.
func own() (module, pkg string) {
	info, ok := debug.ReadBuildInfo()
	if ok && Uses(info) && info.Main.Path != Module {
		return info.Main.Path, info.Path
	}
	return Module, Module + "/cmd/dojo"
}

// Uses reports whether info describes a program that contains dojo: dojo itself, or a program of
// another module that uses dojo.
func Uses(info *debug.BuildInfo) bool {
	return info.Path == Module+"/cmd/dojo" || slices.ContainsFunc(info.Deps, func(m *debug.Module) bool { return m.Path == Module })
}

// Build compiles this program for the given system and returns the executable. It needs the go
// command. The current folder must be inside the sources of the program's module.
func Build(ctx context.Context, goos, goarch string) ([]byte, error) {
	module, pkg := own()
	system := goos + "/" + goarch
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("building for %s needs the go command, which is missing; install Go from https://go.dev/dl", system)
	}
	if pkg == "command-line-arguments" {
		return nil, fmt.Errorf("cannot build for %s: this program was built from a list of files, so its package is unknown; build it as a package of %s, for example: go build ./cmd/NAME", system, module)
	}
	if err := sources(ctx, module, pkg); err != nil {
		return nil, fmt.Errorf("to build for %s, run this in the folder of the sources of %s: %w", system, module, err)
	}
	work, remove, err := scratch.Folder("export")
	if err != nil {
		return nil, err
	}
	defer remove()
	out := filepath.Join(work, "program")
	cmd := Command(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	text, err := cmd.CombinedOutput()
	if ended := context.Cause(ctx); ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, fmt.Errorf("go build for %s: %w: %s", system, err, bytes.TrimSpace(text))
	}
	return os.ReadFile(out)
}

// sources returns an error unless the current folder is in a module or workspace that contains the
// main package pkg.
func sources(ctx context.Context, module, pkg string) error {
	cmd := Command(ctx, "go", "list", "-find", "-f", "{{.Name}} {{with .Module}}{{.Main}}{{end}}", pkg)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case err != nil:
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "; to add it:\n") // drops the rest, which would only advise the user to fetch the module
		line, _, _ = strings.Cut(line, "\n")
		return fmt.Errorf("go list %s: %s", pkg, cmp.Or(line, err.Error()))
	case strings.TrimSpace(string(out)) != "main true":
		return fmt.Errorf("this folder belongs to a module that only uses %s", module)
	}
	return nil
}
