// Package listed opens files that may belong to a run. A committed generation lists its files with
// their SHA-256 (see rundir.Folder.Listing). Opening a file that its generation does not list, or
// lists with another hash, is an error. Packages that read shards, models and gates use this
// package, so that no caller can forget the check.
//
// The place of a file shows whether it belongs to a run:
//
//	RUN/samples/gen-000012/shard-000003.parquet
//	RUN/models/000012.safetensors, or start.safetensors, which generation 0 lists
//	RUN/gates/000012.jsonl
//	RUN/generations/000012.json      exists if the generation is committed
//	RUN/generations/000012.sha256    the generation's listing
//
// Three kinds of files are opened without a check: files in other places, files of a generation
// that is not committed, and files of runs whose records have no hash of a listing, as older
// programs wrote them.
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
	// MaxRecord is the largest size of a generation's record in bytes. The records that this
	// program writes have about 1,000.
	MaxRecord = 1 << 20

	// MaxListing is the largest size of a listing in bytes. That is enough for about 300,000 files.
	MaxListing = 1 << 25
)

// Open opens a regular file for reading. If a generation lists the file, Open first reads all of it
// to compare its hash.
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

// Read returns the content of a regular file of at most limit bytes. It makes the same check as
// Open.
func Read(path string, limit int64) ([]byte, error) {
	text, err := regular.Read(path, limit)
	if err != nil {
		return nil, err
	}
	return text, check(bytes.NewReader(text), path)
}

// check compares the content of a file with its listing and then seeks back to the beginning.
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

// A place describes where a file lies in a run.
type place struct {
	run        string // folder of the run
	generation string // generation that made the file, with at least six digits
	name       string // path relative to the run's folder, with slashes
}

// listing matches the path of a file that a generation may list. Its groups are the run's folder,
// the path below the folder, and the generation in one of three groups.
var listing = regexp.MustCompile(`(?s)^(.*/)(models/(\d{6,}|start)\.safetensors|gates/(\d{6,})\.jsonl|samples/gen-(\d{6,})/[^/.]*\.parquet)$`)

// placeOf returns the place of a file. ok is false if no run can list a file with this path.
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

// hash returns the hash that the generation lists for the file, or "" if there is no listing.
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
		return "", fmt.Errorf("%s cannot be compared with its listed hash: %v", p.name, err) // not %w: the caller must not take this for a missing file at path
	}
	if files[p.name] == "" {
		return "", fmt.Errorf("generation %s of run %s does not list %s; remove this file", p.generation, p.run, p.name)
	}
	return files[p.name], nil
}

// Files reads a listing. It returns the hash of each file by its path relative to the run's folder,
// with slashes. It returns an error if the listing itself does not have the given hash.
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

// Hash returns the SHA-256 of the rest of content in hexadecimal digits.
func Hash(content io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, content); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
