package data

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"dojo/internal/atomicfile"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// WriteShard writes the rows of whole games, one after another, to a shard. It checks
// that they are such rows. The same rows and provenance give the same bytes.
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
