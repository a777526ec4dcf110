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

// Listing is the file that lists what a generation made, with its hashes: its shards, its
// model and the games of its gate. It is in the format of sha256sum, with paths from the run's
// folder; the generation's record has its hash.
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

// Listed reads the listing of a generation: the hash of each file by its path, with slashes,
// from the run's folder. The record has the hash of the listing; a listing with another hash is
// an error.
func (f Folder) Listed(generation int, hash string) (files map[string]string, err error) {
	if files, err = listed.Files(f.Listing(generation), hash); err != nil {
		return nil, fmt.Errorf("run %s: %w", f, err)
	}
	return files, nil
}

// Compare compares files of the run with their hashes. It returns the paths of the files that
// differ, and the reason why a file could not be read by the path of each that could not.
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
	defer file.Close() // it was only read
	return listed.Hash(file)
}

// TextHash returns the SHA-256 of a text, in hexadecimal digits.
func TextHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
