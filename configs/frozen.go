package configs

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"

	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
	"dojo.example/model"
	"dojo.example/search/mcts"

	"github.com/goccy/go-yaml"
)

// Format is the version of the layout of a run's folder. This program rejects runs of other
// versions.
const Format = 4

// Frozen is the configuration of a run as it is stored in the run's folder.
type Frozen struct {
	Format  int    `yaml:"format"`
	Program string `yaml:"program"`         // version of the program that began the run
	Name    string `yaml:"name"`            // name of the run in its shards, even if the folder is renamed
	Start   string `yaml:"start,omitempty"` // hash of the model that the run began with; "" for random weights
	Config  Config `yaml:"config"`

	// Checksum is the SHA-256 of all text before the checksum's line, which is the last line. The
	// method Text computes it.
	Checksum string `yaml:"checksum,omitempty"`

	// comments of the preset from which the run was created, by path of the key
	comments yaml.CommentMap
}

// Text returns the content of run.yaml.
func (f Frozen) Text() ([]byte, error) {
	if err := bounded.Texts(f); err != nil {
		return nil, err
	}
	f.Format, f.Checksum = Format, ""
	text, err := yaml.MarshalWithOptions(f, yaml.CustomMarshaler(networkText), yaml.WithComment(f.comments))
	return append(text, checksumLine(text)...), err
}

// checksumLine returns the last line of a run.yaml. text is everything before that line.
func checksumLine(text []byte) string {
	return fmt.Sprintf("checksum: %x\n", sha256.Sum256(text))
}

// verify returns an error if the text of a run.yaml does not match its checksum.
func verify(text []byte) error {
	// Every checksum line has the same length, so the text before it can be found by length.
	if i := len(text) - len(checksumLine(nil)); i < 0 || string(text[i:]) != checksumLine(text[:i]) {
		return errors.New("its checksum does not match, so somebody has changed it; restore the original file")
	}
	return nil
}

// Thaw reads the configuration of a run. If the folder holds no run, the error is rundir.ErrNoRun.
// A run whose Format differs from this program's is also an error.
func Thaw(folder rundir.Folder) (Frozen, error) {
	text, err := folder.Config()
	if err != nil {
		return Frozen{}, err
	}
	return Parse(folder.ConfigPath(), text)
}

// Parse reads the text of a run.yaml and checks its checksum. name is the file's name in error
// messages.
func Parse(name string, text []byte) (Frozen, error) {
	if len(text) > rundir.MaxConfig {
		return Frozen{}, fmt.Errorf("%s is longer than %d bytes", name, rundir.MaxConfig)
	}
	f, err := thaw(name, text)
	if err != nil {
		return Frozen{}, err
	}
	if err := verify(text); err != nil {
		return Frozen{}, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// A head holds the two keys that every run.yaml has, in every format, and that no preset has.
type head struct {
	Format  int    `yaml:"format"`
	Program string `yaml:"program"`
}

// isFrozen reports whether text is a run.yaml and not a preset.
func isFrozen(text []byte) bool {
	var h head
	return readable(text) == nil && yaml.Unmarshal(text, &h) == nil && h.Format > 0
}

// thaw reads the text of a run.yaml without checking its checksum. path is the file's name in error
// messages.
func thaw(path string, text []byte) (Frozen, error) {
	if m := readable(text); m != nil {
		return Frozen{}, m.in(path)
	}
	var h head
	switch wrong := yaml.Unmarshal(text, &h); {
	case wrong != nil: // the call of decode below reports this error, with its line
	case h.Format < 1:
		return Frozen{}, fmt.Errorf("%s is not the configuration of a run", path)
	case h.Format != Format:
		return Frozen{}, fmt.Errorf("%s has format %d, written by dojo %q, but this program reads only format %d; use that version of dojo", path, h.Format, h.Program, Format)
	}
	f := Frozen{Config: Default(), comments: commentsOf(text)}
	// The oldest runs do not name a kind; their networks are residual.
	f.Config.Network.Kind = model.KindResidual
	// A run of an older program has no players section. It must stay as it is, so it does not get
	// the default section.
	f.Config.Players = mcts.Constants{}
	if m := decode(text, &f); m != nil {
		return Frozen{}, m.in(path)
	}
	if err := cmp.Or(bounded.Texts(f), f.Config.Validate()); err != nil {
		return Frozen{}, fmt.Errorf("%s: %w", path, err)
	}
	f.Config.Network = f.Config.Network.only()
	return f, nil
}
