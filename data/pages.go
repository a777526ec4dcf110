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
	"github.com/parquet-go/parquet-go/format"
)

// pages checks the pages of a file, column by column. A page is
//
//	[ header | repetition levels | definition levels | values, compressed ]
//
// and a dictionary, which has no levels, comes before the pages whose values are its indices.
type pages struct {
	content []byte
	limits  Limits
	rows    int // that each column must have
	left    int // bytes that pages may still have without compression
	decoder *zstd.Decoder
}

// A column is what is known of a column when its pages are read.
type column struct {
	parquet.LeafColumn
	values, rows int // so far
	dictionary   int // number of texts
}

// check returns an error unless the pages of a column are what this program writes.
func (p *pages) check(leaf parquet.LeafColumn, about *format.ColumnMetaData) error {
	c := &column{LeafColumn: leaf}
	rest := p.content[start(about):][:about.TotalCompressedSize]
	for first := true; len(rest) > 0; first = false {
		var header format.PageHeader
		n, err := decode(rest[:min(len(rest), maxHeader)], &header)
		if err != nil {
			return fmt.Errorf("the header of a page: %w", err)
		}
		rest = rest[n:]
		if size := int(header.CompressedPageSize); size < 0 || size > len(rest) {
			return fmt.Errorf("a page should have %d bytes, and there are %d", size, len(rest))
		}
		if size := int(header.UncompressedPageSize); size < 0 || size > p.left {
			return fmt.Errorf("a page has %d bytes without compression, and %d are left to such a shard", size, p.left)
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
			err = fmt.Errorf("a page of type %s comes where dojo writes none", header.Type)
		}
		if err != nil {
			return err
		}
	}
	if int64(c.values) != about.NumValues || c.rows != p.rows {
		return fmt.Errorf("%d values in %d rows can be read, not %d in %d", c.values, c.rows, about.NumValues, p.rows)
	}
	return nil
}

// checkData checks a page with values of the column.
func (p *pages) checkData(c *column, header *format.PageHeader, page []byte) error {
	h := &header.DataPageHeaderV2.V
	n, nulls, rows := int(h.NumValues), int(h.NumNulls), int(h.NumRows)
	c.values, c.rows = c.values+n, c.rows+rows
	if most := p.rows + p.limits.Bytes/8; n < 0 || nulls < 0 || nulls > n || rows < 0 || c.rows > p.rows || c.values > most {
		return fmt.Errorf("a page has %d values, %d of them null, in %d rows", n, nulls, rows)
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
	body, err := p.unpack(body, size, !h.IsCompressed.Valid || h.IsCompressed.V)
	if err != nil {
		return err
	}
	return p.checkValues(c, h.Encoding, n-nulls, body)
}

// checkValues checks the n values of a page.
func (p *pages) checkValues(c *column, encoding format.Encoding, n int, body []byte) error {
	kind := c.Node.Type().Kind()
	width := map[parquet.Kind]int{parquet.Boolean: 1, parquet.Int32: 32, parquet.Float: 32, parquet.Int64: 64, parquet.Double: 64}[kind] // bits
	if width > 0 && encoding == format.Plain {
		if want := (n*width + 7) / 8; len(body) != want {
			return fmt.Errorf("%d values have %d bytes, not %d", n, len(body), want)
		}
		return nil
	}
	if kind != parquet.ByteArray || encoding != format.DeltaLengthByteArray && (encoding != format.RLEDictionary || c.dictionary == 0) {
		return fmt.Errorf("values of type %s are encoded as %s", kind, encoding)
	}
	if encoding == format.DeltaLengthByteArray {
		return p.checkTexts(body, n)
	}
	if len(body) == 0 || body[0] > 32 {
		return errors.New("a page has no indices of its dictionary")
	}
	return checkRuns(body[1:], int(body[0]), n)
}

// checkTexts checks n texts: their lengths come first, as the block size, the number of parts
// of a block and n, and the differences.
func (p *pages) checkTexts(body []byte, n int) error {
	rest := body
	for _, want := range []int{128, 4, n} {
		got, size := binary.Uvarint(rest)
		if size <= 0 || got != uint64(want) {
			return fmt.Errorf("the lengths of %d texts are encoded as no lengths of ours", n)
		}
		rest = rest[size:]
	}
	_, ends, err := parquet.DeltaLengthByteArray.DecodeByteArray(nil, body, nil)
	if err != nil {
		return err
	}
	for i := range n {
		if ends[i+1] < ends[i] || ends[i+1]-ends[i] > uint32(p.limits.Text) {
			return fmt.Errorf("a text has %d bytes, and in such a shard at most %d", int64(ends[i+1])-int64(ends[i]), p.limits.Text)
		}
	}
	return nil
}

// checkDictionary checks a dictionary of texts, each behind its length in 4 bytes.
func (p *pages) checkDictionary(c *column, header *format.PageHeader, page []byte) error {
	h, size := &header.DictionaryPageHeader.V, int(header.UncompressedPageSize)
	if c.Node.Type().Kind() != parquet.ByteArray || h.Encoding != format.Plain || size > maxDictionary {
		return fmt.Errorf("it has a dictionary of %d bytes", size)
	}
	body, err := p.unpack(page, size, true)
	if err != nil {
		return err
	}
	for ; len(body) > 0; c.dictionary++ {
		if len(body) < 4 {
			return errors.New("its dictionary is cut off")
		}
		n := binary.LittleEndian.Uint32(body)
		if body = body[4:]; n > maxName || int(n) > len(body) {
			return fmt.Errorf("its dictionary has a text of %d bytes, at most %d are expected", n, maxName)
		}
		body = body[n:]
	}
	if c.dictionary != int(h.NumValues) {
		return fmt.Errorf("its dictionary has %d texts, not %d", c.dictionary, h.NumValues)
	}
	return nil
}

// checkLevels checks the levels of n values, of which count should have the level special.
func checkLevels(data []byte, highest, n, special, count int) error {
	if highest == 0 {
		if len(data) > 0 || count != n {
			return errors.New("there are some, and should be none")
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
		return fmt.Errorf("%d of them are %d, not %d", got, special, count)
	}
	return nil
}

// checkRuns checks the runs of n values of some bits each. A run begins with a number whose last
// bit says how the rest is meant: as how often one value is repeated, or as the number of groups
// of 8 values, of which the last of all may be filled up.
func checkRuns(data []byte, width, n int) error {
	total := 0
	for len(data) > 0 {
		head, k := binary.Uvarint(data)
		if k <= 0 || head>>1 > uint64(n) {
			return fmt.Errorf("a run is longer than the %d values", n)
		}
		data = data[k:]
		count, size := int(head>>1), (width+7)/8
		if head&1 == 1 {
			count, size = 8*count, width*count
		}
		if total += count; size > len(data) || total > n+7 {
			return fmt.Errorf("runs of %d values are there for %d", total, n)
		}
		data = data[size:]
	}
	if total < n {
		return fmt.Errorf("runs of %d values are there for %d", total, n)
	}
	return nil
}

// newDecoder returns a decoder of pages, which fills memory that is there and takes no more.
func newDecoder() (*zstd.Decoder, error) {
	const window = 8 << 20 // the largest of our level of compression
	return zstd.NewReader(nil, zstd.WithDecoderMaxWindow(window), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(1))
}

// unpack returns data without compression, or an error unless it has that size then.
func (p *pages) unpack(data []byte, size int, packed bool) (plain []byte, err error) {
	if plain = data; packed {
		plain, err = p.decoder.DecodeAll(data, make([]byte, 0, max(0, size)))
	}
	if err == nil && len(plain) != size {
		err = fmt.Errorf("a page has %d bytes without compression, not %d", len(plain), size)
	}
	return plain, err
}
