package data

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library believes what a file says of itself: it allocates lists of any length that a
// footer claims, guesses how large a page becomes, and repeats a value as often as a run of
// bytes asks for. This file and pages.go check all of it before the library reads, against
// what this program writes and against the Limits.

// checkFooter returns an error unless the footer can be decoded in little memory. A file ends
// with the footer, its length in 4 bytes, and 4 bytes of magic.
func checkFooter(content []byte) error {
	end := len(content) - 8
	if end < 0 || string(content[end+4:]) != "PAR1" {
		return errors.New("it does not end as one")
	}
	n := int(binary.LittleEndian.Uint32(content[end:]))
	if n > end {
		return fmt.Errorf("its footer should have %d bytes", n)
	}
	if n > maxFooter {
		return fmt.Errorf("its footer has %d bytes, more than %d", n, maxFooter)
	}
	_, err := decode(content[end-n:end], new(format.FileMetaData))
	return err
}

// decode decodes the structure of Thrift at the beginning of data into v and returns its size. Its lists
// and fields are limited.
func decode(data []byte, v any) (size int, err error) {
	r := &counted{(&thrift.CompactProtocol{}).NewReaderFromBytes(data), maxElements}
	err = thrift.NewDecoder(r).Decode(v)
	return r.BytesRead(), err
}

// A counted reader fails where lists have more than left elements together, before the library allocates
// them, and where there are more fields, so that structures are not nested without end.
type counted struct {
	thrift.BytesReader
	left int
}

func (c *counted) ReadList() (thrift.List, error) {
	l, err := c.BytesReader.ReadList()
	return l, cmp.Or(err, c.count(int(l.Size)))
}

func (c *counted) ReadField() (thrift.Field, error) {
	f, err := c.BytesReader.ReadField()
	return f, cmp.Or(err, c.count(1))
}

func (c *counted) count(n int) error {
	if c.left -= n; c.left < 0 {
		return fmt.Errorf("it has lists of more than %d elements", maxElements)
	}
	return nil
}

// checkColumns returns an error unless the columns of an open file are as this program writes
// them, and within the limits.
func checkColumns(f *parquet.File, content []byte, limits Limits) error {
	m := f.Metadata()
	switch {
	case m.NumRows < 0 || m.NumRows > int64(limits.Rows):
		return fmt.Errorf("it has %d rows, and such a shard at most %d", m.NumRows, limits.Rows)
	case len(m.RowGroups) > 1:
		return fmt.Errorf("it has %d groups of rows, not one", len(m.RowGroups))
	case len(m.RowGroups) == 0:
		return nil
	}
	group, schema := &m.RowGroups[0], f.Schema()
	paths := schema.Columns()
	if group.NumRows != m.NumRows || len(group.Columns) != len(paths) {
		return fmt.Errorf("its group has %d rows in %d columns, not %d in %d", group.NumRows, len(group.Columns), m.NumRows, len(paths))
	}
	decoder, err := newDecoder()
	if err != nil {
		return err
	}
	defer decoder.Close()
	p := &pages{content: content, limits: limits, rows: int(m.NumRows), left: limits.Bytes + slack, decoder: decoder}
	total := int64(0)
	for i, path := range paths { // first what the footer says of all, then the pages
		about := &group.Columns[i].MetaData
		if err := p.checkChunk(about); err != nil {
			return fmt.Errorf("its column %s %w", strings.Join(path, "."), err)
		}
		if total += about.TotalUncompressedSize; total > int64(p.left) {
			return fmt.Errorf("its columns have more than %d bytes without compression, and those of such a shard at most %d", total, p.left)
		}
	}
	for i, path := range paths {
		leaf, _ := schema.Lookup(path...)
		if err := p.check(leaf, &group.Columns[i].MetaData); err != nil {
			return fmt.Errorf("its column %s: %w", strings.Join(path, "."), err)
		}
	}
	return nil
}

// checkChunk returns an error unless what the footer says of a column is possible.
func (p *pages) checkChunk(about *format.ColumnMetaData) error {
	if about.Codec != format.Zstd {
		return fmt.Errorf("is compressed with %s, not ZSTD", about.Codec)
	}
	for _, e := range about.Encoding {
		switch e {
		case format.Plain, format.RLE, format.RLEDictionary, format.DeltaLengthByteArray:
		default:
			return fmt.Errorf("is encoded as %s", e)
		}
	}
	from, size := start(about), about.TotalCompressedSize
	if from < 0 || size < 0 || from > int64(len(p.content)) || size > int64(len(p.content))-from {
		return fmt.Errorf("should have %d bytes at %d, and the file has %d", size, from, len(p.content))
	}
	if n := about.TotalUncompressedSize; n < 0 || n > int64(p.left) {
		return fmt.Errorf("has %d bytes without compression, and such a shard at most %d", n, p.left)
	}
	return nil
}

// start is where the first page of a column begins.
func start(about *format.ColumnMetaData) int64 {
	if about.DictionaryPageOffset != 0 {
		return about.DictionaryPageOffset
	}
	return about.DataPageOffset
}
