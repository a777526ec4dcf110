package data

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// ReadShard reads a whole shard.
func ReadShard(path string) (Provenance, []Row, error) {
	var rows []Row
	p, err := open(path, func(f *parquet.File) error {
		r := parquet.NewGenericReader[Row](f)
		rows = make([]Row, r.NumRows())
		n, err := r.Read(rows)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n != len(rows) {
			return fmt.Errorf("%d rows of %d can be read", n, len(rows))
		}
		return errors.Join(check(rows), r.Close())
	})
	if err != nil {
		return Provenance{}, nil, err
	}
	return p, rows, nil
}

// ReadProvenance reads what a shard says of itself, and its number of rows.
func ReadProvenance(path string) (Provenance, int, error) {
	var rows int
	p, err := open(path, func(f *parquet.File) error {
		rows = int(f.NumRows())
		return nil
	})
	return p, rows, err
}

// open opens a shard, checks that it is one, and lets use read it. Parquet's
// reader panics on some damaged files; here that is an error like any other.
func open(path string, use func(f *parquet.File) error) (p Provenance, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("shard %s is damaged: %v", path, r)
		}
	}()
	file, err := os.Open(path)
	if err != nil {
		return p, fmt.Errorf("shard: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return p, fmt.Errorf("shard %s: %w", path, err)
	}
	f, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		return p, fmt.Errorf("shard %s is no Parquet file or truncated: %w", path, err)
	}
	if p, err = provenance(f); err != nil {
		return p, fmt.Errorf("shard %s: %w", path, err)
	}
	if want := parquet.SchemaOf(Row{}); !parquet.EqualNodes(f.Schema(), want) {
		return p, fmt.Errorf("shard %s has other columns than schema %d", path, SchemaVersion)
	}
	if err := use(f); err != nil {
		return p, fmt.Errorf("shard %s is damaged: %w", path, err)
	}
	return p, nil
}

// provenance reads the metadata that WriteShard wrote.
func provenance(f *parquet.File) (p Provenance, err error) {
	text := func(key string) string {
		v, ok := f.Lookup(key)
		if !ok && err == nil {
			err = fmt.Errorf("its metadata has no %s: it was not written by dojo", key)
		}
		return v
	}
	number := func(key string) int {
		n, bad := strconv.Atoi(text(key))
		if bad != nil && err == nil {
			err = fmt.Errorf("its %s is not a number", key)
		}
		return n
	}
	schema := number("dojo.schema")
	if err == nil && schema != SchemaVersion {
		return p, fmt.Errorf("it has schema %d, this program reads %d", schema, SchemaVersion)
	}
	p = Provenance{
		Game: text("dojo.game"), SpecVersion: number("dojo.spec_version"), Run: text("dojo.run"),
		Generation: number("dojo.generation"), Shard: number("dojo.shard"),
		Model: text("dojo.model"), ProgramVersion: text("dojo.program"),
	}
	seed, bad := strconv.ParseUint(text("dojo.seed"), 10, 64)
	if bad != nil && err == nil {
		err = errors.New("its dojo.seed is not a number")
	}
	p.Seed = seed
	return p, err
}
