package data

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dojo/internal/atomicfile"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Shard is a published file of samples.
type Shard struct {
	Generation int
	Number     int
	Path       string
}

// ShardPath is where the run in root keeps a shard. Numbers have leading
// zeros, so that names sort as numbers up to a million.
func ShardPath(root string, generation, shard int) string {
	return filepath.Join(root, "samples", fmt.Sprintf("gen-%06d", generation), fmt.Sprintf("shard-%06d.parquet", shard))
}

// Shards lists what the run in root has published, by generation and number.
// Temporaries and files of other names are passed over; a run without samples
// has no shards.
func Shards(root string) ([]Shard, error) {
	samples := filepath.Join(root, "samples")
	folders, err := os.ReadDir(samples)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list shards: %w", err)
	}
	var all []Shard
	for _, folder := range folders {
		generation, ok := number(folder.Name(), "gen-", "")
		if !ok || !folder.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(samples, folder.Name()))
		if err != nil {
			return nil, fmt.Errorf("list shards: %w", err)
		}
		for _, file := range files {
			path := filepath.Join(samples, folder.Name(), file.Name())
			if n, ok := number(file.Name(), "shard-", ".parquet"); ok && path == ShardPath(root, generation, n) {
				all = append(all, Shard{generation, n, path})
			}
		}
	}
	slices.SortFunc(all, func(a, b Shard) int {
		return cmp.Or(cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.Number, b.Number))
	})
	return all, nil
}

// number is the number in a name.
func number(name, prefix, suffix string) (n int, ok bool) {
	name, begins := strings.CutPrefix(name, prefix)
	name, ends := strings.CutSuffix(name, suffix)
	n, err := strconv.Atoi(name)
	return n, begins && ends && err == nil
}

// WriteShard publishes rows, whole games one after another, as a shard. The
// same rows give the same bytes.
func WriteShard(path string, p Provenance, rows []Row) error {
	if err := check(rows); err != nil {
		return fmt.Errorf("publish shard %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("publish shard: %w", err)
	}
	err := atomicfile.WriteFile(path, func(w io.Writer) error {
		options := []parquet.WriterOption{
			parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
			parquet.CreatedBy("dojo", p.ProgramVersion, ""),
		}
		for _, kv := range p.pairs() {
			options = append(options, parquet.KeyValueMetadata(kv[0], kv[1]))
		}
		file := parquet.NewGenericWriter[Row](w, options...)
		if _, err := file.Write(rows); err != nil {
			return err
		}
		return file.Close()
	})
	if err != nil {
		return fmt.Errorf("publish shard: %w", err)
	}
	return nil
}
