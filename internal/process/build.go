package process

import (
	"bytes"
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

// Module is the path of this module.
const Module = "dojo.example"

// own returns the main package of this program and the module that it is of: dojo's, or, if
// another module uses dojo, that one's.
func own() (module, pkg string) {
	info, ok := debug.ReadBuildInfo()
	if ok && Uses(info) && info.Main.Path != Module {
		return info.Main.Path, info.Path
	}
	return Module, Module + "/cmd/dojo"
}

// Uses reports whether a program is dojo, or one of another module that uses it.
func Uses(info *debug.BuildInfo) bool {
	return info.Path == Module+"/cmd/dojo" || slices.ContainsFunc(info.Deps, func(m *debug.Module) bool { return m.Path == Module })
}

// Build compiles this program, or, if it names one, another main package of its module for a
// system, and returns the executable. The go command must be there, and the current folder must
// lie in the module's sources.
func Build(ctx context.Context, goos, goarch, pkg string) ([]byte, error) {
	module, program := own()
	if pkg == "" {
		pkg = program
	}
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("to build for %s/%s the go command is needed, and is missing: install Go from https://go.dev/dl", goos, goarch)
	}
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	path, dir, _ := strings.Cut(strings.TrimSpace(string(root)), " ")
	if err != nil || path != module {
		return nil, fmt.Errorf("to build for %s/%s, run this in the folder of the sources of %s", goos, goarch, module)
	}
	work, remove, err := scratch.Folder("export")
	if err != nil {
		return nil, err
	}
	defer remove()
	out := filepath.Join(work, "program")
	cmd := Command(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	text, err := cmd.CombinedOutput()
	if ended := context.Cause(ctx); ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, fmt.Errorf("go build for %s/%s: %w: %s", goos, goarch, err, bytes.TrimSpace(text))
	}
	return os.ReadFile(out)
}
