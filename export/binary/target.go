package binary

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"runtime"

	"dojo.example/internal/process"
	"dojo.example/internal/regular"
)

// A Target is the system that a program is handed out for. OS and Arch are Go's names; "" is
// that of Program, or of this machine.
type Target struct {
	OS, Arch string
	Program  string // a file: dojo, built for the system; "" if there is none
}

// largestProgram is the size in bytes of the largest Target.Program.
const largestProgram = 1 << 30

// Read returns the executable of dojo for the system: Program, or the running one, or one that
// it builds from the sources, which takes minutes: say is told before. It sets OS and Arch where
// they are "".
func (t *Target) Read(ctx context.Context, say func(step string)) ([]byte, error) {
	if t.Program != "" {
		program, err := regular.Read(t.Program, largestProgram)
		if err != nil {
			return nil, fmt.Errorf("the program: %w", err)
		}
		if err := t.runs(program); err != nil {
			return nil, fmt.Errorf("the program %s: %w", t.Program, err)
		}
		return program, nil
	}
	t.OS, t.Arch = cmp.Or(t.OS, runtime.GOOS), cmp.Or(t.Arch, runtime.GOARCH)
	if t.OS == runtime.GOOS && t.Arch == runtime.GOARCH {
		path, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	}
	say(fmt.Sprintf("build the program for %s/%s", t.OS, t.Arch))
	program, err := process.Build(ctx, t.OS, t.Arch)
	if err != nil && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("%w; or name a dojo built for %s/%s with --program", err, t.OS, t.Arch)
	}
	return program, err
}

// runs returns an error unless a program is dojo, built for the system.
func (t *Target) runs(program []byte) error {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return errors.New("it is no dojo program, or a damaged one")
	}
	if !process.Uses(info) {
		return fmt.Errorf("it is no dojo program, but one built from %s", info.Path)
	}
	built := map[string]string{}
	for _, s := range info.Settings {
		built[s.Key] = s.Value
	}
	goos, goarch := built["GOOS"], built["GOARCH"]
	t.OS, t.Arch = cmp.Or(t.OS, goos), cmp.Or(t.Arch, goarch)
	switch {
	case t.OS != goos:
		return fmt.Errorf("it is built for the system %s, not for %s", goos, t.OS)
	case t.Arch != goarch:
		return fmt.Errorf("it is built for the processor %s, not for %s", goarch, t.Arch)
	}
	return nil
}
