package data

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"dojo.example/internal/atomicfile"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// WriteShard writes a shard. It returns an error unless the rows are those of whole
// games, one after another. The same rows and provenance give the same bytes.
func WriteShard(path string, p Provenance, rows []Row) error {
	if err := check(rows); err != nil {
		return fmt.Errorf("publish shard %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("publish shard: %w", err)
	}
	err := atomicfile.WriteFile(path, func(w io.Writer) error { return encode(w, p, rows) })
	if err != nil {
		return fmt.Errorf("publish shard: %w", err)
	}
	return nil
}

// EncodeShard returns the bytes of the file that [WriteShard] would write.
func EncodeShard(p Provenance, rows []Row) ([]byte, error) {
	if err := check(rows); err != nil {
		return nil, fmt.Errorf("shard %d: %w", p.Shard, err)
	}
	var b bytes.Buffer
	if err := encode(&b, p, rows); err != nil {
		return nil, fmt.Errorf("shard %d: %w", p.Shard, err)
	}
	return b.Bytes(), nil
}

// encode writes a shard's file.
func encode(w io.Writer, p Provenance, rows []Row) error {
	options := append(p.options(), parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}), parquet.CreatedBy("dojo", p.ProgramVersion, ""))
	file := parquet.NewGenericWriter[Row](w, options...)
	if _, err := file.Write(rows); err != nil {
		return err
	}
	return file.Close()
}
