package rundir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/listed"
	"dojo.example/internal/regular"
)

// Listing is the path of a generation's listing. The listing is a file with the hashes of all files
// that the generation made: its shards, its model and the games of its gate. It has the format of
// sha256sum, with paths relative to the run's folder. The generation's record contains the SHA-256
// of the listing.
func (f Folder) Listing(generation int) string {
	return f.Path("generations", ModelName(generation)+".sha256")
}

// List writes the listing of a generation and returns the SHA-256 of its text.
func (f Folder) List(generation int) (hash string, err error) {
	shards, err := f.ShardsOf(generation)
	if err != nil {
		return "", err
	}
	files := []string{f.Model(ModelName(generation)), f.Gate(generation)}
	for _, s := range shards {
		files = append(files, s.Path)
	}
	if generation == 0 {
		if _, err := os.Stat(f.Model(StartModel)); err == nil {
			files = append(files, f.Model(StartModel))
		}
	}
	var text bytes.Buffer
	for _, path := range files {
		hash, err := FileHash(path)
		if err != nil {
			return "", fmt.Errorf("list generation %d: %w", generation, err)
		}
		name, err := filepath.Rel(string(f), path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "%s  %s\n", hash, filepath.ToSlash(name))
	}
	if err := atomicfile.WriteBytes(f.Listing(generation), text.Bytes()); err != nil {
		return "", fmt.Errorf("list generation %d: %w", generation, err)
	}
	return TextHash(text.Bytes()), nil
}

// Listed reads the listing of a generation. It returns the hash of each file. The keys of files are
// paths relative to the run's folder, with slashes. The parameter hash is the SHA-256 of the
// listing, from the generation's record. If the listing has a different hash, Listed returns an
// error.
func (f Folder) Listed(generation int, hash string) (files map[string]string, err error) {
	if files, err = listed.Files(f.Listing(generation), hash); err != nil {
		return nil, fmt.Errorf("run %s: %w", f, err)
	}
	return files, nil
}

// Compare compares files of the run with their hashes. It returns the paths of the files that
// differ. For each file that cannot be read, unreadable contains the error.
func (f Folder) Compare(files map[string]string) (differ []string, unreadable map[string]error) {
	unreadable = map[string]error{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		switch hash, err := FileHash(f.Path(filepath.FromSlash(name))); {
		case err != nil:
			unreadable[name] = err
		case hash != files[name]:
			differ = append(differ, name)
		}
	}
	return differ, unreadable
}

// FileHash returns the SHA-256 of a file, in hexadecimal digits.
func FileHash(path string) (string, error) {
	file, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close() // the error does not matter: the file is only read
	return listed.Hash(file)
}

// TextHash returns the SHA-256 of a text, in hexadecimal digits.
func TextHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
