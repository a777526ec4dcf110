package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

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

// ShardPath is where the run in root keeps a shard.
func ShardPath(root string, generation, shard int) string {
	return filepath.Join(root, "samples", fmt.Sprintf("gen-%06d", generation), fmt.Sprintf("shard-%06d.parquet", shard))
}

var shardName = regexp.MustCompile(`gen-(\d{6,})[/\\]shard-(\d{6,})\.parquet$`)

// Shards lists what the run in root has published, in order. A run without
// samples has none.
func Shards(root string) ([]Shard, error) {
	var all []Shard
	err := filepath.WalkDir(filepath.Join(root, "samples"), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		m := shardName.FindStringSubmatch(path)
		if m == nil || d.IsDir() {
			return nil
		}
		generation, err := strconv.Atoi(m[1])
		if err != nil {
			return fmt.Errorf("shard %s: %w", path, err)
		}
		number, err := strconv.Atoi(m[2])
		if err != nil {
			return fmt.Errorf("shard %s: %w", path, err)
		}
		all = append(all, Shard{generation, number, path})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list shards: %w", err)
	}
	return all, nil // WalkDir is in lexical order, which is theirs
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

// check finds rows that no game can have made.
func check(rows []Row) error {
	for i, r := range rows {
		bad := func(format string, args ...any) error {
			return fmt.Errorf("game %d ply %d: %s", r.Game, r.Ply, fmt.Sprintf(format, args...))
		}
		var sum float64
		for _, w := range r.Policy {
			if !(w.Weight > 0) {
				return bad("action %d has weight %v", w.Action, w.Weight)
			}
			sum += float64(w.Weight)
		}
		switch {
		case math.Abs(sum-1) > 1e-3:
			return bad("policy sums to %v", sum)
		case r.Outcome < -1 || r.Outcome > 1:
			return bad("outcome %d is not +1, 0 or -1", r.Outcome)
		case !(r.Value >= -1.001 && r.Value <= 1.001):
			return bad("value %v is not in [-1, 1]", r.Value)
		case r.Mover != 0 && r.Mover != 1:
			return bad("mover %d is neither 0 nor 1", r.Mover)
		case r.Ply > 0 && (i == 0 || rows[i-1].Game != r.Game || rows[i-1].Ply != r.Ply-1 || rows[i-1].TurnsLeft != r.TurnsLeft+1):
			return bad("does not follow the row before it")
		case r.TurnsLeft < 1 || r.TurnsLeft > 1 && i == len(rows)-1:
			return bad("%d turns left", r.TurnsLeft)
		}
	}
	return nil
}

// pairs is the provenance as it stands in the file's metadata.
func (p Provenance) pairs() [][2]string {
	return [][2]string{
		{"dojo.schema", strconv.Itoa(SchemaVersion)},
		{"dojo.game", p.Game},
		{"dojo.spec_version", strconv.Itoa(p.SpecVersion)},
		{"dojo.run", p.Run},
		{"dojo.generation", strconv.Itoa(p.Generation)},
		{"dojo.shard", strconv.Itoa(p.Shard)},
		{"dojo.seed", strconv.FormatUint(p.Seed, 10)},
		{"dojo.model", p.Model},
		{"dojo.program", p.ProgramVersion},
	}
}
