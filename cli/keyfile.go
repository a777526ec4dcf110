package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dojo.example/cluster/wire"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/regular"
)

// keyFile reads the key of a worker from a file. If the file does not exist, keyFile creates it with
// a new key. It calls warn if other users can read the new file, because its file system does not
// support permissions.
func keyFile(path string, warn func(text string)) (k wire.Key, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("key: %w", err)
		}
	}()
	text, err := regular.ReadText(path, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKeyFile(path, warn)
	}
	if err != nil {
		return k, err
	}
	if k, err = wire.ParseKey(text); err != nil {
		err = fmt.Errorf("%s does not contain the key of a worker; remove the file to get a new key", path)
	}
	return k, err
}

// makeKeyFile creates a key and its file; see keyFile.
func makeKeyFile(path string, warn func(text string)) (k wire.Key, err error) {
	k = wire.NewKey()
	seed, err := k.Seed()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = atomicfile.WriteBytes(path, append(seed, '\n'))
	}
	if err != nil {
		return k, err
	}
	protected, err := atomicfile.Protect(path)
	if err == nil && !protected {
		warn(fmt.Sprintf("other users of this machine can read the key in %s: its file system does not support permissions", path))
	}
	return k, err
}
