// Package listed opens files that may belong to a run, and checks them. When a run commits a
// generation, it writes a listing of the generation's files with their SHA-256 (see
// rundir.Folder.Listing). Opening a file of that generation fails if the listing does not contain
// the file or has a different hash for it. All packages that read shards, models and gate matches
// open them with this package, so that no caller can forget the check.
//
// The path of a file shows to which run and generation it belongs:
//
//	RUN/samples/gen-000012/shard-000003.parquet
//	RUN/models/000012.safetensors, or start.safetensors, which generation 0 lists
//	RUN/gates/000012.jsonl
//	RUN/generations/000012.json      exists if the generation is committed
//	RUN/generations/000012.sha256    the generation's listing
//
// Three kinds of files are opened without a check: files with other paths, files of a generation
// that is not committed, and files of runs from older programs, whose records contain no hash of a
// listing.
package listed

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"dojo.example/internal/bounded"
	"dojo.example/internal/regular"
)

const (
	// MaxRecord is the largest size in bytes of the record of a generation. This program writes
	// records of about 1,000 bytes.
	MaxRecord = 1 << 20

	// MaxListing is the largest size in bytes of a listing. This is enough for about 300,000 files.
	MaxListing = 1 << 25
)

// Open opens a regular file for reading. If the file belongs to a committed generation, Open first
// reads the whole file and compares its hash with the listing.
func Open(path string) (*os.File, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	if err := check(file, path); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Read returns the content of a regular file of at most limit bytes. It checks the hash as Open
// does.
func Read(path string, limit int64) ([]byte, error) {
	text, err := regular.Read(path, limit)
	if err != nil {
		return nil, err
	}
	return text, check(bytes.NewReader(text), path)
}

// check compares the hash of a file's content with the listing. Then it seeks back to the beginning
// of content.
func check(content io.ReadSeeker, path string) error {
	p, ok := placeOf(path)
	if !ok {
		return nil
	}
	want, err := p.hash()
	if err != nil || want == "" {
		return err
	}
	got, err := Hash(content)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%s is not the file that generation %s of the run lists: its SHA-256 is %s, not %s; restore the original (dojo verify %s lists all files that differ)",
			path, p.generation, got, want, p.run)
	}
	_, err = content.Seek(0, io.SeekStart)
	return err
}

// A place identifies a file of a run, with the generation that it belongs to.
type place struct {
	run        string // folder of the run
	generation string // number of the generation that wrote the file, padded to six digits
	name       string // path of the file relative to the run's folder, with slashes
}

// listing matches the path of a file that may be in a generation's listing. The first group is the
// run's folder, the second is the path below it, and one of the other three is the generation's
// number.
var listing = regexp.MustCompile(`(?s)^(.*/)(models/(\d{6,}|start)\.safetensors|gates/(\d{6,})\.jsonl|samples/gen-(\d{6,})/[^/.]*\.parquet)$`)

// placeOf returns the place of a file. ok is false if the path cannot be that of a listed file.
func placeOf(path string) (p place, ok bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return p, false
	}
	m := listing.FindStringSubmatch(filepath.ToSlash(path))
	if m == nil {
		return p, false
	}
	p = place{run: filepath.Dir(filepath.FromSlash(m[1] + "x")), name: m[2], generation: m[3] + m[4] + m[5]}
	if p.generation == "start" {
		p.generation = "000000"
	}
	return p, true
}

// hash returns the hash that the listing of the generation contains for the file, or "" if there is
// no listing.
func (p place) hash() (string, error) {
	base := filepath.Join(p.run, "generations", p.generation)
	text, err := regular.Read(base+".json", MaxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // the generation is not committed
	}
	if err != nil {
		return "", err
	}
	var record struct {
		Files string `json:"files"`
	}
	if err := bounded.Unmarshal(text, &record); err != nil {
		return "", fmt.Errorf("%s.json: %w", base, err)
	}
	if record.Files == "" {
		return "", nil
	}
	files, err := Files(base+".sha256", record.Files)
	if err != nil {
		// Do not wrap the error with %w: if the listing is missing, the caller would think that the
		// file at path is missing.
		return "", fmt.Errorf("%s cannot be compared with its listed hash: %v", p.name, err)
	}
	if files[p.name] == "" {
		return "", fmt.Errorf("generation %s of run %s does not list %s; remove this file", p.generation, p.run, p.name)
	}
	return files[p.name], nil
}

// Files reads the listing at path and checks that it has the given hash. It returns the hashes of
// the listed files. The keys are the files' paths relative to the run's folder, with slashes.
func Files(path, hash string) (files map[string]string, err error) {
	text, err := regular.Read(path, MaxListing)
	if err != nil {
		return nil, err
	}
	if got, err := Hash(bytes.NewReader(text)); err != nil || got != hash {
		return nil, errors.Join(err, fmt.Errorf("%s is not the listing that belongs to the record of its generation; restore the original", path))
	}
	files = map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		hash, name, ok := strings.Cut(lines.Text(), "  ")
		if !ok || len(hash) != 2*sha256.Size || !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("%s: the line %q is not a hash and a path", path, lines.Text())
		}
		files[name] = hash
	}
	return files, nil
}

// Hash reads content to its end and returns the SHA-256 as hexadecimal digits.
func Hash(content io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, content); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
