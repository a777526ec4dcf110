package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"dojo/export/binary"
	"dojo/games"
	"dojo/internal/output"
	"dojo/internal/process"
	"dojo/internal/regular"
	"dojo/model"
)

// exportBinary writes an executable that carries the model.
func (a *app) exportBinary(ctx context.Context, c *model.Checkpoint, game games.Entry, opt exportOptions) error {
	target, err := output.Open(opt.out, opt.replace)
	if err != nil {
		return err
	}
	var checkpoint bytes.Buffer
	if err := c.Encode(&checkpoint); err != nil {
		return err
	}
	program, err := readProgram(ctx, &opt)
	if err != nil {
		return err
	}
	if err := target.WriteExecutable(ctx, func(w io.Writer) error {
		return binary.Write(w, program, checkpoint.Bytes())
	}); err != nil {
		return err
	}
	return a.exported(c, opt, fmt.Sprintf("plays %s with model %s on %s/%s", game.Name, c.Name, opt.os, opt.arch))
}

// largestProgram is the size in bytes of the largest --program.
const largestProgram = 1 << 30

// readProgram reads the executable that an export is made of: the one that is
// named, else the running one, else one built for another system.
func readProgram(ctx context.Context, opt *exportOptions) ([]byte, error) {
	if opt.program != "" {
		program, err := regular.Read(opt.program, largestProgram)
		if err != nil {
			return nil, fmt.Errorf("the program: %w", err)
		}
		if err := opt.runsOn(binary.Check(program)); err != nil {
			return nil, fmt.Errorf("the program %s: %w", opt.program, err)
		}
		return program, nil
	}
	opt.os, opt.arch = cmp.Or(opt.os, runtime.GOOS), cmp.Or(opt.arch, runtime.GOARCH)
	if opt.os == runtime.GOOS && opt.arch == runtime.GOARCH {
		path, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	}
	dir, err := os.MkdirTemp("", "dojo-export-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "dojo")
	err = build(ctx, opt.os, opt.arch, "./cmd/dojo", path)
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w; or name a dojo built for %s/%s with --program", err, opt.os, opt.arch)
	}
	return os.ReadFile(path)
}

// runsOn compares what binary.Check says of a program with --os and --arch, and
// sets those that are not given.
func (o *exportOptions) runsOn(goos, goarch string, err error) error {
	if err != nil {
		return err
	}
	o.os, o.arch = cmp.Or(o.os, goos), cmp.Or(o.arch, goarch)
	switch {
	case o.os != goos:
		return fmt.Errorf("it is built for the system %s, not for %s", goos, o.os)
	case o.arch != goarch:
		return fmt.Errorf("it is built for the processor %s, not for %s", goarch, o.arch)
	}
	return nil
}

// build compiles a package of this module for a system. The sources must be
// around: it is run in their folder.
func build(ctx context.Context, goos, goarch, pkg, out string) error {
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("to build for %s/%s the go command is needed, and is missing: install Go from https://go.dev/dl", goos, goarch)
	}
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	path, dir, _ := strings.Cut(strings.TrimSpace(string(root)), " ")
	if err != nil || path != "dojo" {
		return fmt.Errorf("to build for %s/%s, run this in the folder of dojo's sources", goos, goarch)
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	cmd := process.Command(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	text, err := cmd.CombinedOutput()
	if ended := context.Cause(ctx); ended != nil {
		return ended
	}
	if err != nil {
		return fmt.Errorf("go build for %s/%s: %w: %s", goos, goarch, err, bytes.TrimSpace(text))
	}
	return nil
}
