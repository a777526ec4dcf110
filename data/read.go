package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"dojo.example/internal/bounded"
	"dojo.example/internal/regular"

	"github.com/parquet-go/parquet-go"
)

// Header is what a shard's file says of its rows.
type Header struct {
	Provenance

	Lacks   []string // optional columns that the file does not have; they are read as zero
	Unknown []string // columns that this program does not know; they are ignored
}

// ReadShard reads a whole shard and checks its rows as [WriteShard] does.
func ReadShard(path string) (Header, []Row, error) {
	file, err := regular.Open(path)
	if err != nil {
		return Header{}, nil, fmt.Errorf("shard: %w", err)
	}
	defer file.Close() // it was only read
	info, err := file.Stat()
	if err != nil {
		return Header{}, nil, fmt.Errorf("shard: %w", err)
	}
	return readShard(path, file, info.Size())
}

// DecodeShard is [ReadShard] for the content of a file; name is what errors call it.
func DecodeShard(name string, content []byte) (Header, []Row, error) {
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
func readShard(name string, file io.ReaderAt, size int64) (h Header, rows []Row, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("shard %s is damaged: %v", name, r)
		}
		if err != nil {
			h, rows = Header{}, nil
		}
	}()
	f, err := parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return h, nil, fmt.Errorf("shard %s is no Parquet file or truncated: %w", name, err)
	}
	if err := h.parse(f.Lookup); err != nil {
		return h, nil, fmt.Errorf("shard %s: %w", name, err)
	}
	if err := h.compare(f.Schema()); err != nil {
		return h, nil, fmt.Errorf("shard %s: %w", name, err)
	}
	if err := bounded.Texts(h); err != nil {
		return h, nil, fmt.Errorf("shard %s: its metadata: %w", name, err)
	}
	if rows, err = readAll(f); err == nil {
		err = check(rows)
	}
	if err != nil {
		err = fmt.Errorf("shard %s is damaged: %w", name, err)
	}
	return h, rows, err
}

// compare compares a file's columns with those of a Row and fills in Lacks and
// Unknown. It is an error if a column that is not optional is missing, or if one has
// another type.
func (h *Header) compare(got *parquet.Schema) error {
	want := parquet.SchemaOf(Row{})
	for _, path := range want.Columns() {
		name := strings.Join(path, ".")
		w, _ := want.Lookup(path...)
		g, ok := got.Lookup(path...)
		switch {
		case !ok && optional[path[0]]:
			h.Lacks = append(h.Lacks, name)
		case !ok:
			return fmt.Errorf("it has no column %s", name)
		case g.Node.Type().String() != w.Node.Type().String():
			return fmt.Errorf("its column %s is %s, not %s", name, g.Node.Type(), w.Node.Type())
		case g.MaxRepetitionLevel != w.MaxRepetitionLevel || g.MaxDefinitionLevel != w.MaxDefinitionLevel:
			return fmt.Errorf("its column %s is optional or a list where it should not be, or the reverse", name)
		}
	}
	for _, path := range got.Columns() {
		if _, ok := want.Lookup(path...); !ok {
			h.Unknown = append(h.Unknown, strings.Join(path, "."))
		}
	}
	return nil
}

// optional is the set of columns that a shard may lack.
var optional = func() map[string]bool {
	columns := map[string]bool{}
	row := reflect.TypeFor[Row]()
	for i := range row.NumField() {
		if tag := row.Field(i).Tag; tag.Get("dojo") == "optional" {
			name, _, _ := strings.Cut(tag.Get("parquet"), ",")
			columns[name] = true
		}
	}
	return columns
}()
