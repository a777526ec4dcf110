package configs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dojo/internal/atomicfile"

	"github.com/goccy/go-yaml"
)

// Format is the version of the layout of a run's folder.
const Format = 1

// Frozen is the configuration of a run as its folder keeps it.
type Frozen struct {
	Format  int    `yaml:"format"`
	Program string `yaml:"program"` // the version that began the run
	Config  Config `yaml:"config"`
}

// ErrNoRun means that a folder holds no run.
var ErrNoRun = errors.New("no run here: run.yaml is missing")

func frozenPath(dir string) string { return filepath.Join(dir, "run.yaml") }

// Freeze writes the configuration into a run's folder, which it makes.
func Freeze(dir string, f Frozen) error {
	f.Format = Format
	text, err := yaml.Marshal(f)
	if err != nil {
		return fmt.Errorf("run %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("run %s: %w", dir, err)
	}
	return atomicfile.WriteBytes(frozenPath(dir), text)
}

// Thaw reads the configuration of the run in dir. A folder without one is
// ErrNoRun; a run of a newer program is an error that says so.
func Thaw(dir string) (Frozen, error) {
	text, err := os.ReadFile(frozenPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return Frozen{}, fmt.Errorf("%s: %w", dir, ErrNoRun)
	}
	if err != nil {
		return Frozen{}, fmt.Errorf("run %s: %w", dir, err)
	}
	var head struct {
		Format  int    `yaml:"format"`
		Program string `yaml:"program"`
	}
	if err := yaml.Unmarshal(text, &head); err != nil || head.Format < 1 {
		return Frozen{}, fmt.Errorf("%s is not the configuration of a run", frozenPath(dir))
	}
	if head.Format > Format {
		return Frozen{}, fmt.Errorf("run %s has format %d, made by dojo %s; this program knows formats up to %d",
			dir, head.Format, head.Program, Format)
	}
	f := Frozen{Config: Default()}
	if m := decode(text, &f); m != nil {
		return Frozen{}, m.in(frozenPath(dir))
	}
	if err := f.Config.Validate(); err != nil {
		return Frozen{}, fmt.Errorf("%s: %w", frozenPath(dir), err)
	}
	return f, nil
}
