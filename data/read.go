package data

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// ReadShard reads a whole shard and checks it as [WriteShard] does.
func ReadShard(path string) (Provenance, []Row, error) {
	var rows []Row
	p, err := open(path, func(f *parquet.File) (err error) {
		if rows, err = readAll(f); err != nil {
			return err
		}
		return check(rows)
	})
	if err != nil {
		return Provenance{}, nil, err
	}
	return p, rows, nil
}

// ReadProvenance reads what a shard says of itself, and its number of rows,
// without reading the rows.
func ReadProvenance(path string) (Provenance, int, error) {
	var rows int
	p, err := open(path, func(f *parquet.File) error {
		rows = int(f.NumRows())
		return nil
	})
	return p, rows, err
}

// chunk is how many rows are read at a time: memory follows what is there,
// not what a damaged footer claims.
const chunk = 1 << 12

func readAll(f *parquet.File) (rows []Row, err error) {
	r := parquet.NewGenericReader[Row](f)
	defer r.Close() // nothing is left to say: the file is open for reading only
	for !errors.Is(err, io.EOF) {
		rows = slices.Grow(rows, chunk)
		var n int
		if n, err = r.Read(rows[len(rows):cap(rows)]); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if n == 0 && err == nil {
			break
		}
		rows = rows[:len(rows)+n]
	}
	if want := f.NumRows(); int64(len(rows)) != want {
		return nil, fmt.Errorf("%d rows of %d can be read", len(rows), want)
	}
	return rows, nil
}

// open opens a shard, checks that it is one, and lets use read it. Parquet's
// reader panics on some damaged files; here that is an error like any other.
func open(path string, use func(f *parquet.File) error) (p Provenance, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = Provenance{}, fmt.Errorf("shard %s is damaged: %v", path, r)
		}
	}()
	file, err := os.Open(path)
	if err != nil {
		return p, fmt.Errorf("shard: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return p, fmt.Errorf("shard: %w", err)
	}
	f, err := parquet.OpenFile(file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return p, fmt.Errorf("shard %s is no Parquet file or truncated: %w", path, err)
	}
	if err := p.parse(f.Lookup); err != nil {
		return Provenance{}, fmt.Errorf("shard %s: %w", path, err)
	}
	if err := checkColumns(f.Schema()); err != nil {
		return Provenance{}, fmt.Errorf("shard %s: %w", path, err)
	}
	if err := use(f); err != nil {
		return Provenance{}, fmt.Errorf("shard %s is damaged: %w", path, err)
	}
	return p, nil
}

// checkColumns compares a file's columns with those of a Row.
func checkColumns(got *parquet.Schema) error {
	want := parquet.SchemaOf(Row{})
	for _, path := range want.Columns() {
		w, _ := want.Lookup(path...)
		g, ok := got.Lookup(path...)
		if !ok {
			return fmt.Errorf("it has no column %s", strings.Join(path, "."))
		}
		if g, w := g.Node.Type().String(), w.Node.Type().String(); g != w {
			return fmt.Errorf("its column %s is %s, not %s", strings.Join(path, "."), g, w)
		}
	}
	if !parquet.EqualNodes(got, want) {
		return fmt.Errorf("its columns are not those of schema %d", SchemaVersion)
	}
	return nil
}
