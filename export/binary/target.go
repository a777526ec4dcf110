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

// A Target is the system for which a program is exported. OS and Arch are Go's names, such as linux
// and amd64. If they are "", the target is the system of Program or, if Program is "" too, this
// machine.
type Target struct {
	OS, Arch string
	Program  string // path of a dojo program that was built for the system, or ""
}

// largestProgram is the largest allowed size of Target.Program in bytes.
const largestProgram = 1 << 30

// Read returns the executable of dojo for the target system. If Program is set, that file is the
// executable. Otherwise it is the running program, if that was built for the target system.
// Otherwise Read calls say and builds the program from source, which takes minutes. Read fills in
// OS and Arch if they are "".
func (t *Target) Read(ctx context.Context, say func(step string)) ([]byte, error) {
	if t.Program != "" {
		program, err := regular.Read(t.Program, largestProgram)
		if err != nil {
			return nil, fmt.Errorf("--program: %w", err)
		}
		if err := t.runs(program); err != nil {
			return nil, fmt.Errorf("--program %s: %w", t.Program, err)
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
		err = fmt.Errorf("%w; alternatively, name a dojo program built for %s/%s with --program", err, t.OS, t.Arch)
	}
	return program, err
}

// runs returns an error unless program is a dojo program built for the system.
func (t *Target) runs(program []byte) error {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return errors.New("the file is not a dojo program, or it is damaged")
	}
	if !process.Uses(info) {
		return fmt.Errorf("the file is not a dojo program: it was built from %s", info.Path)
	}
	built := map[string]string{}
	for _, s := range info.Settings {
		built[s.Key] = s.Value
	}
	goos, goarch := built["GOOS"], built["GOARCH"]
	t.OS, t.Arch = cmp.Or(t.OS, goos), cmp.Or(t.Arch, goarch)
	switch {
	case t.OS != goos:
		return fmt.Errorf("the program was built for the system %s, not for %s", goos, t.OS)
	case t.Arch != goarch:
		return fmt.Errorf("the program was built for the processor %s, not for %s", goarch, t.Arch)
	}
	return nil
}
