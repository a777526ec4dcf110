package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build compiles a program of this module for a system and returns the executable. The go
// command must be there, and the current folder must lie in the module's sources.
func Build(ctx context.Context, goos, goarch, pkg string) ([]byte, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("to build for %s/%s the go command is needed, and is missing: install Go from https://go.dev/dl", goos, goarch)
	}
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	path, dir, _ := strings.Cut(strings.TrimSpace(string(root)), " ")
	if err != nil || path != "dojo" {
		return nil, fmt.Errorf("to build for %s/%s, run this in the folder of dojo's sources", goos, goarch)
	}
	work, err := os.MkdirTemp("", "dojo-export-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
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
