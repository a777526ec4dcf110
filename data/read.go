package data

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dojo.example/internal/bounded"
	"dojo.example/internal/listed"

	"github.com/parquet-go/parquet-go"
)

// ReadShard reads a whole shard and checks its rows as [WriteShard] does. Columns that this
// program does not know are ignored. The file must be as its generation lists it; see package
// listed.
func ReadShard(path string) (Provenance, []Row, error) {
	file, err := listed.Open(path)
	if err != nil {
		return Provenance{}, nil, fmt.Errorf("shard: %w", err)
	}
	defer file.Close() // it was only read
	info, err := file.Stat()
	if err != nil {
		return Provenance{}, nil, fmt.Errorf("shard: %w", err)
	}
	return readShard(path, file, info.Size())
}

// DecodeShard is [ReadShard] for the content of a file; name is what errors call it.
func DecodeShard(name string, content []byte) (Provenance, []Row, error) {
	return readShard(name, bytes.NewReader(content), int64(len(content)))
}

// chunk is the most rows that are read at a time, so that memory grows with the rows that
// are there, and not with the number that a damaged file claims.
const chunk = 1 << 12

// readAll reads all rows. It asks for no more than the file says that it has, and then for
// one, which is not there: the reader spends as much time on a row that is missing as on
// one that it finds.
func readAll(f *parquet.File) (rows []Row, err error) {
	r := parquet.NewGenericReader[Row](f)
	defer r.Close() // nothing is left to say: the file is open for reading only
	want := f.NumRows()
	for !errors.Is(err, io.EOF) {
		next := int(min(max(want-int64(len(rows)), 1), chunk))
		rows = slices.Grow(rows, next)
		var n int
		if n, err = r.Read(rows[len(rows) : len(rows)+next]); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if n == 0 && err == nil {
			break
		}
		rows = rows[:len(rows)+n]
	}
	if int64(len(rows)) != want {
		return nil, fmt.Errorf("%d rows of %d can be read", len(rows), want)
	}
	return rows, nil
}

// readShard reads and checks a shard. Parquet's reader panics on some damaged files; that becomes
// an error here.
func readShard(name string, file io.ReaderAt, size int64) (p Provenance, rows []Row, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("shard %s is damaged: %v", name, r)
		}
		if err != nil {
			p, rows = Provenance{}, nil
		}
	}()
	f, err := parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return p, nil, fmt.Errorf("shard %s is no Parquet file or truncated: %w", name, err)
	}
	if err := cmp.Or(p.parse(f.Lookup), compare(f.Schema())); err != nil {
		return p, nil, fmt.Errorf("shard %s: %w", name, err)
	}
	if err := bounded.Texts(p); err != nil {
		return p, nil, fmt.Errorf("shard %s: its metadata: %w", name, err)
	}
	if rows, err = readAll(f); err == nil {
		err = check(rows)
	}
	if err != nil {
		err = fmt.Errorf("shard %s is damaged: %w", name, err)
	}
	return p, rows, err
}

// compare returns an error if a file lacks a column of a Row, or if one has another type.
func compare(got *parquet.Schema) error {
	want := parquet.SchemaOf(Row{})
	for _, path := range want.Columns() {
		name := strings.Join(path, ".")
		w, _ := want.Lookup(path...)
		g, ok := got.Lookup(path...)
		switch {
		case !ok:
			return fmt.Errorf("it has no column %s", name)
		case g.Node.Type().String() != w.Node.Type().String():
			return fmt.Errorf("its column %s is %s, not %s", name, g.Node.Type(), w.Node.Type())
		case g.MaxRepetitionLevel != w.MaxRepetitionLevel || g.MaxDefinitionLevel != w.MaxDefinitionLevel:
			return fmt.Errorf("its column %s is optional or a list where it should not be, or the reverse", name)
		}
	}
	return nil
}
