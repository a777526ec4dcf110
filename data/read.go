package data

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unique"

	"dojo.example/internal/bounded"
	"dojo.example/internal/listed"

	"github.com/parquet-go/parquet-go"
)

// ReadShard reads a whole shard and checks its rows as [WriteShard] does. If the file exceeds the
// limits, ReadShard returns an error. It ignores columns that this program does not know, but
// counts them towards the limits. If the shard's generation has a file with the hashes of its
// files, the shard must match its hash; see package listed.
func ReadShard(path string, limits Limits) (Provenance, []Row, error) {
	content, err := listed.Read(path, int64(limits.orFixed().file()))
	if err != nil {
		return Provenance{}, nil, fmt.Errorf("shard: %w", err)
	}
	return DecodeShard(path, content, limits)
}

// DecodeShard is like [ReadShard], but takes the content of the file. Error messages use name as
// the file's name. The Parquet library panics on some damaged files; DecodeShard returns an error
// instead.
func DecodeShard(name string, content []byte, limits Limits) (p Provenance, rows []Row, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("shard %s is damaged: %v", name, r)
		}
		if err != nil {
			p, rows = Provenance{}, nil
		}
	}()
	if err := checkFooter(content); err != nil {
		return p, nil, fmt.Errorf("shard %s is not a Parquet file, or it is truncated: %w", name, err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return p, nil, fmt.Errorf("shard %s is not a Parquet file, or it is truncated: %w", name, err)
	}
	if err := cmp.Or(p.parse(f.Lookup), compare(f.Schema())); err != nil {
		return p, nil, fmt.Errorf("shard %s: %w", name, err)
	}
	if err := bounded.Texts(p); err != nil {
		return p, nil, fmt.Errorf("shard %s: its metadata: %w", name, err)
	}
	if err = checkColumns(f, content, limits.orFixed()); err == nil {
		rows, err = readAll(f)
	}
	if err == nil {
		err = check(rows)
	}
	if err != nil {
		err = fmt.Errorf("shard %s is damaged or made by another program: %w", name, err)
	}
	return p, rows, err
}

// chunk is the number of rows that are read at a time. It is small to save memory: to read a chunk,
// the Parquet library needs several times the memory of the chunk's rows.
const chunk = 1 << 8

// readAll reads all rows. If more rows are requested than exist, the library spends as much time on
// each missing row as on an existing one. readAll therefore asks for exactly as many rows as the
// file states, and then for one more row, to find the end. Rows with equal names of runs or models
// share the memory of these names.
func readAll(f *parquet.File) (rows []Row, err error) {
	r := parquet.NewGenericReader[Row](f)
	defer r.Close() // the error does not matter: the file is only open for reading
	want := int(f.NumRows())
	rows = make([]Row, 0, want+1)
	for !errors.Is(err, io.EOF) {
		next := rows[len(rows):][:min(max(want-len(rows), 1), chunk)]
		var n int
		if n, err = r.Read(next); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if n == 0 && err == nil || len(rows)+n > want {
			break
		}
		for i := range next[:n] {
			row := &next[i]
			row.Run, row.Model = unique.Make(row.Run).Value(), unique.Make(row.Model).Value()
		}
		rows = rows[:len(rows)+n]
	}
	if len(rows) != want {
		return nil, fmt.Errorf("only %d of %d rows can be read", len(rows), want)
	}
	return rows, nil
}

// compare returns an error if a column of Row is missing from the file or has a different type
// there.
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
