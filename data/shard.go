package data

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"dojo.example/internal/atomicfile"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// WriteShard writes a shard. It returns an error unless the rows are whole games, one after
// another. Equal rows and provenance give equal bytes.
func WriteShard(path string, p Provenance, rows []Row) error {
	write, err := PrepareShard(path, p, rows)
	if err != nil {
		return err
	}
	return write()
}

// PrepareShard encodes a shard as [WriteShard] does. It returns the function write, which writes
// the file. The caller may change rows before it calls write, and may call write in another
// goroutine.
func PrepareShard(path string, p Provenance, rows []Row) (write func() error, err error) {
	content, err := EncodeShard(p, rows)
	if err != nil {
		return nil, fmt.Errorf("publish shard %s: %w", path, err)
	}
	return func() error {
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = atomicfile.WriteBytes(path, content)
		}
		if err != nil {
			return fmt.Errorf("publish shard %s: %w", path, err)
		}
		return nil
	}, nil
}

// EncodeShard returns the bytes of the file that [WriteShard] would write.
func EncodeShard(p Provenance, rows []Row) ([]byte, error) {
	if err := check(rows); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	options := append(p.options(), parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}), parquet.CreatedBy("dojo", p.ProgramVersion, ""))
	file := parquet.NewGenericWriter[Row](&b, options...)
	if _, err := file.Write(rows); err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
