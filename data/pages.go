package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pages checks the pages of a Parquet file, column by column. The layout of a page is
//
//	[ header | repetition levels | definition levels | values, compressed ]
//
// A dictionary page has no levels. It is the first page of its column. The values of the other
// pages of that column are indices into the dictionary.
type pages struct {
	content []byte
	limits  Limits
	rows    int // number of rows in the file, which each column must have
	left    int // number of uncompressed bytes that the remaining pages may have
}

// A column counts the values and rows of one column that have been checked so far.
type column struct {
	parquet.LeafColumn
	values, rows int // number of values and of rows read so far
	dictionary   int // number of texts in the dictionary
}

// check returns an error unless the pages of a column have the form that dojo writes.
func (p *pages) check(leaf parquet.LeafColumn, about *format.ColumnMetaData) error {
	c := &column{LeafColumn: leaf}
	rest := p.content[start(about):][:about.TotalCompressedSize]
	for first := true; len(rest) > 0; first = false {
		header, n, err := readHeader(rest)
		if err != nil {
			return fmt.Errorf("the header of a page: %w", err)
		}
		rest = rest[n:]
		if size := int(header.CompressedPageSize); size < 0 || size > len(rest) {
			return fmt.Errorf("a page should have %d bytes, but only %d are left in its column", size, len(rest))
		}
		if size := int(header.UncompressedPageSize); size < 0 || size > p.left {
			return fmt.Errorf("a page has %d bytes without compression, but this shard may have only %d more", size, p.left)
		}
		p.left -= int(header.UncompressedPageSize)
		page := rest[:header.CompressedPageSize]
		rest = rest[len(page):]
		switch {
		case header.Type == format.DataPageV2 && header.DataPageHeaderV2.Valid:
			err = p.checkData(c, &header, page)
		case header.Type == format.DictionaryPage && header.DictionaryPageHeader.Valid && first:
			err = p.checkDictionary(c, &header, page)
		default:
			err = fmt.Errorf("a page has the type %s, which dojo does not write at this place", header.Type)
		}
		if err != nil {
			return err
		}
	}
	if int64(c.values) != about.NumValues || c.rows != p.rows {
		return fmt.Errorf("its pages have %d values in %d rows, not %d values in %d rows", c.values, c.rows, about.NumValues, p.rows)
	}
	return nil
}

// readHeader reads the page header at the beginning of data and returns its size in bytes.
func readHeader(data []byte) (header format.PageHeader, size int, err error) {
	size, err = structSize(data[:min(len(data), maxHeader)])
	if err == nil {
		err = thrift.Unmarshal(&thrift.CompactProtocol{}, data[:size], &header)
	}
	return header, size, err
}

// checkData checks a data page of the column.
func (p *pages) checkData(c *column, header *format.PageHeader, page []byte) error {
	h := &header.DataPageHeaderV2.V
	n, nulls, rows := int(h.NumValues), int(h.NumNulls), int(h.NumRows)
	c.values, c.rows = c.values+n, c.rows+rows
	if most := p.rows + p.limits.Bytes/8; n < 0 || nulls < 0 || nulls > n || rows < 0 || c.rows > p.rows || c.values > most {
		return fmt.Errorf("a page has impossible counts: %d values, %d of them null, in %d rows", n, nulls, rows)
	}
	repetition, definition := int(h.RepetitionLevelsByteLength), int(h.DefinitionLevelsByteLength)
	if repetition < 0 || definition < 0 || repetition > len(page) || definition > len(page)-repetition {
		return errors.New("a page is shorter than its levels")
	}
	if err := checkLevels(page[:repetition], c.MaxRepetitionLevel, n, 0, rows); err != nil {
		return fmt.Errorf("repetition levels: %w", err)
	}
	if err := checkLevels(page[repetition:][:definition], c.MaxDefinitionLevel, n, c.MaxDefinitionLevel, n-nulls); err != nil {
		return fmt.Errorf("definition levels: %w", err)
	}
	body, size := page[repetition+definition:], int(header.UncompressedPageSize)-repetition-definition
	packed := !h.IsCompressed.Valid || h.IsCompressed.V
	if err := checkSize(body, size, packed); err != nil {
		return err
	}
	return p.checkValues(c, h.Encoding, n-nulls, body, size, packed)
}

// checkValues checks the n values of a page. body holds the values, possibly compressed, and size
// is their uncompressed size in bytes.
func (p *pages) checkValues(c *column, encoding format.Encoding, n int, body []byte, size int, packed bool) (err error) {
	kind := c.Node.Type().Kind()
	width := map[parquet.Kind]int{parquet.Boolean: 1, parquet.Int32: 32, parquet.Float: 32, parquet.Int64: 64, parquet.Double: 64}[kind] // in bits
	if width > 0 && encoding == format.Plain {
		if want := (n*width + 7) / 8; size != want {
			err = fmt.Errorf("%d values have %d bytes, not %d", n, size, want)
		}
		return err
	}
	if kind != parquet.ByteArray || encoding != format.DeltaLengthByteArray && (encoding != format.RLEDictionary || c.dictionary == 0) {
		return fmt.Errorf("values of type %s have the encoding %s, which dojo does not write", kind, encoding)
	}
	if body, err = unpack(body, size, packed); err != nil {
		return err
	}
	if encoding == format.DeltaLengthByteArray {
		return p.checkTexts(body, n)
	}
	if len(body) == 0 || body[0] > 32 {
		return errors.New("a page has no indices of its dictionary")
	}
	return checkRuns(body[1:], int(body[0]), n)
}

// checkTexts checks n texts in the encoding DELTA_LENGTH_BYTE_ARRAY. In this encoding the lengths
// of all texts come first. The list of lengths begins with three numbers: the block size (128), the
// number of miniblocks in a block (4) and n.
func (p *pages) checkTexts(body []byte, n int) error {
	rest := body
	for _, want := range []int{128, 4, n} {
		got, size := binary.Uvarint(rest)
		if size <= 0 || got != uint64(want) {
			return fmt.Errorf("the lengths of %d texts are not encoded as dojo encodes them", n)
		}
		rest = rest[size:]
	}
	_, ends, err := parquet.DeltaLengthByteArray.DecodeByteArray(nil, body, nil)
	if err != nil {
		return err
	}
	for i := range n {
		if ends[i+1] < ends[i] || ends[i+1]-ends[i] > uint32(p.limits.Text) {
			return fmt.Errorf("a text has %d bytes, but in this shard it may have at most %d", int64(ends[i+1])-int64(ends[i]), p.limits.Text)
		}
	}
	return nil
}

// checkDictionary checks a dictionary of texts. In a dictionary, the length of each text comes
// before it, in 4 bytes.
func (p *pages) checkDictionary(c *column, header *format.PageHeader, page []byte) error {
	h, size := &header.DictionaryPageHeader.V, int(header.UncompressedPageSize)
	if c.Node.Type().Kind() != parquet.ByteArray || h.Encoding != format.Plain || size > maxDictionary {
		return fmt.Errorf("it has a dictionary of %d bytes, which dojo does not write here", size)
	}
	if err := checkSize(page, size, true); err != nil {
		return err
	}
	body, err := unpack(page, size, true)
	if err != nil {
		return err
	}
	for ; len(body) > 0; c.dictionary++ {
		if len(body) < 4 {
			return errors.New("its dictionary is cut off")
		}
		n := binary.LittleEndian.Uint32(body)
		if body = body[4:]; n > maxName || int(n) > len(body) {
			return fmt.Errorf("its dictionary has a text of %d bytes, more than the limit of %d", n, maxName)
		}
		body = body[n:]
	}
	if c.dictionary != int(h.NumValues) {
		return fmt.Errorf("its dictionary has %d texts, not %d", c.dictionary, h.NumValues)
	}
	return nil
}

// checkLevels checks the repetition or definition levels of n values. The number of levels that
// equal special must be count.
func checkLevels(data []byte, highest, n, special, count int) error {
	if highest == 0 {
		if len(data) > 0 || count != n {
			return errors.New("the page has some, but the column needs none")
		}
		return nil
	}
	width := bits.Len(uint(highest))
	if err := checkRuns(data, width, n); err != nil {
		return err
	}
	levels, err := (&rle.Encoding{BitWidth: width}).DecodeLevels(nil, data)
	if err != nil {
		return err
	}
	if got := bytes.Count(levels[:n], []byte{byte(special)}); got != count {
		return fmt.Errorf("%d levels are %d, but the header states %d", got, special, count)
	}
	return nil
}

// checkRuns checks the runs that encode n values. A value has the given width in bits. A run begins
// with a number. If the lowest bit of the number is 0, one value follows, and the other bits say
// how often it is repeated. If the lowest bit is 1, groups of 8 packed values follow, and the other
// bits say how many groups. Only the last group may contain padding.
func checkRuns(data []byte, width, n int) error {
	total := 0
	for len(data) > 0 {
		head, k := binary.Uvarint(data)
		if k <= 0 || head>>1 > uint64(n) {
			return fmt.Errorf("a run is longer than the %d values of its page", n)
		}
		data = data[k:]
		count, size := int(head>>1), (width+7)/8
		if head&1 == 1 {
			count, size = 8*count, width*count
		}
		if total += count; size > len(data) || total > n+7 {
			return fmt.Errorf("the runs have %d values, but the page needs %d", total, n)
		}
		data = data[size:]
	}
	if total < n {
		return fmt.Errorf("the runs have %d values, but the page needs %d", total, n)
	}
	return nil
}

// checkSize returns an error unless size is the uncompressed size of data. It does not decompress
// anything. data is a zstd frame. The frame states the size of its content, and the library
// enforces that size. A frame with less than 256 bytes of content may omit the size. checkSize then
// accepts the frame only if it is a single block, because a block has at most 128 KB.
func checkSize(data []byte, size int, packed bool) error {
	if !packed {
		if len(data) != size {
			return fmt.Errorf("a page has %d bytes, not %d", len(data), size)
		}
		return nil
	}
	const window = 8 << 20 // largest window at the zstd compression level that dojo uses
	var h zstd.Header
	if err := h.Decode(data); err != nil {
		return fmt.Errorf("a page is not compressed with ZSTD: %w", err)
	}
	known := h.HasFCS && h.FrameContentSize == uint64(size) || !h.HasFCS && size < 256 && h.FirstBlock.Last
	if h.Skippable || !known || size < 0 || h.WindowSize > window {
		return fmt.Errorf("a page is not one ZSTD frame with %d bytes of content", size)
	}
	data = data[h.HeaderSize:]
	for last := false; !last; { // visits the blocks of the frame; no second frame may follow
		if len(data) < 3 {
			return errors.New("a page is cut off")
		}
		head := int(data[0]) | int(data[1])<<8 | int(data[2])<<16
		n := head >> 3
		if head>>1&3 == 1 { // a run-length block: it contains a single byte, which is repeated
			n = 1
		}
		if last, data = head&1 == 1, data[3:]; n > len(data) {
			return errors.New("a page is cut off")
		}
		data = data[n:]
	}
	if len(data) > 0 {
		return errors.New("a page has bytes after its content")
	}
	return nil
}

// unpack decompresses data. [checkSize] has checked its uncompressed size before.
func unpack(data []byte, size int, packed bool) ([]byte, error) {
	if !packed {
		return data, nil
	}
	data, err := parquet.Zstd.Decode(nil, data)
	if err == nil && len(data) != size {
		err = fmt.Errorf("a page has %d bytes without compression, not %d", len(data), size)
	}
	return data, err
}
