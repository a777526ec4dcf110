package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The Parquet library trusts the sizes that a file states. It allocates a list of any length that
// the footer states, it guesses the decompressed size of a page, and it repeats a value as often as
// a run-length code says. The code in this file and in pages.go therefore first compares all sizes
// with the sizes that dojo writes, and with the Limits.

// checkFooter returns an error unless the footer can be decoded in little memory. A Parquet file
// ends with the footer, the footer's length in 4 bytes, and the 4 bytes "PAR1".
func checkFooter(content []byte) error {
	end := len(content) - 8
	if end < 0 || string(content[end+4:]) != "PAR1" {
		return errors.New(`it does not end with "PAR1"`)
	}
	n := int(binary.LittleEndian.Uint32(content[end:]))
	if n > end {
		return fmt.Errorf("its footer should have %d bytes, but the file is shorter", n)
	}
	if n > maxFooter {
		return fmt.Errorf("its footer has %d bytes, more than the limit of %d", n, maxFooter)
	}
	_, err := structSize(content[end-n : end])
	return err
}

// structSize returns the size in bytes of the Thrift structure at the beginning of data. It returns
// an error if the structure says that it is longer than data, or if its lists have more than
// maxElements elements in total.
func structSize(data []byte) (int, error) {
	r := (&thrift.CompactProtocol{}).NewReaderFromBytes(data)
	left := maxElements
	if err := skip(r, thrift.STRUCT, &left, maxDepth); err != nil {
		return 0, err
	}
	return r.BytesRead(), nil
}

// skip reads a Thrift value and discards it. *left is the number of list elements that are still
// allowed; skip subtracts the length of each list from it. depth limits how deeply structures may
// be nested.
func skip(r thrift.Reader, t thrift.Type, left *int, depth int) (err error) {
	if depth == 0 {
		return errors.New("its structures are nested too deeply")
	}
	switch t {
	case thrift.TRUE, thrift.FALSE: // a boolean field has no bytes of its own; see below for lists
	case thrift.I8:
		_, err = r.ReadInt8()
	case thrift.I16:
		_, err = r.ReadInt16()
	case thrift.I32:
		_, err = r.ReadInt32()
	case thrift.I64:
		_, err = r.ReadInt64()
	case thrift.DOUBLE:
		_, err = r.ReadFloat64()
	case thrift.BINARY:
		_, err = r.ReadBytes()
	case thrift.LIST, thrift.SET:
		var l thrift.List
		if l, err = r.ReadList(); err != nil {
			return err
		}
		if *left -= int(l.Size); *left < 0 {
			return fmt.Errorf("it has lists of more than %d elements", maxElements)
		}
		for n := l.Size; n > 0 && err == nil; n-- {
			if l.Type == thrift.TRUE || l.Type == thrift.FALSE {
				_, err = r.ReadBool()
			} else {
				err = skip(r, l.Type, left, depth-1)
			}
		}
	case thrift.STRUCT:
		for err == nil {
			var f thrift.Field
			if f, err = r.ReadField(); err != nil || f.Type == thrift.STOP {
				return err
			}
			err = skip(r, f.Type, left, depth-1)
		}
	default:
		err = fmt.Errorf("it has a field of the unknown type %d", t)
	}
	return err
}

// checkColumns returns an error unless the columns of an open file have the form that dojo writes
// and are within the limits.
func checkColumns(f *parquet.File, content []byte, limits Limits) error {
	m := f.Metadata()
	switch {
	case m.NumRows < 0 || m.NumRows > int64(limits.Rows):
		return fmt.Errorf("it has %d rows, but this shard may have at most %d", m.NumRows, limits.Rows)
	case len(m.RowGroups) > 1:
		return fmt.Errorf("it has %d row groups, not one", len(m.RowGroups))
	case len(m.RowGroups) == 0:
		return nil
	}
	group, schema := &m.RowGroups[0], f.Schema()
	paths := schema.Columns()
	if group.NumRows != m.NumRows || len(group.Columns) != len(paths) {
		return fmt.Errorf("its row group has %d rows in %d columns, not %d rows in %d columns", group.NumRows, len(group.Columns), m.NumRows, len(paths))
	}
	p := &pages{content: content, limits: limits, rows: int(m.NumRows), left: limits.Bytes + slack}
	total := int64(0)
	for i, path := range paths { // check the footer's statements about all columns before reading any page
		about := &group.Columns[i].MetaData
		if err := p.checkChunk(about); err != nil {
			return fmt.Errorf("its column %s %w", strings.Join(path, "."), err)
		}
		if total += about.TotalUncompressedSize; total > int64(p.left) {
			return fmt.Errorf("its columns have at least %d bytes without compression, but this shard may have at most %d", total, p.left)
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

// checkChunk returns an error if the footer says something impossible about a column.
func (p *pages) checkChunk(about *format.ColumnMetaData) error {
	if about.Codec != format.Zstd {
		return fmt.Errorf("is compressed with %s, not ZSTD", about.Codec)
	}
	for _, e := range about.Encoding {
		switch e {
		case format.Plain, format.RLE, format.RLEDictionary, format.DeltaLengthByteArray:
		default:
			return fmt.Errorf("has the encoding %s, which dojo does not write", e)
		}
	}
	from, size := start(about), about.TotalCompressedSize
	if from < 0 || size < 0 || from > int64(len(p.content)) || size > int64(len(p.content))-from {
		return fmt.Errorf("should have %d bytes at offset %d, but the file has only %d bytes", size, from, len(p.content))
	}
	if n := about.TotalUncompressedSize; n < 0 || n > int64(p.left) {
		return fmt.Errorf("has %d bytes without compression, but this shard may have at most %d", n, p.left)
	}
	return nil
}

// start returns the offset of a column's first page in the file.
func start(about *format.ColumnMetaData) int64 {
	if about.DictionaryPageOffset != 0 {
		return about.DictionaryPageOffset
	}
	return about.DataPageOffset
}
