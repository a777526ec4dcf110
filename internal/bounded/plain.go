package bounded

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// BOM is the byte order mark, with which Notepad and PowerShell 5 begin files in UTF-8.
const BOM = "\uFEFF"

// ErrUTF16 is the error for text in UTF-16, as PowerShell 5 writes with > and Out-File.
var ErrUTF16 = errors.New("the text is UTF-16; save it as UTF-8 (in PowerShell 5: command | Set-Content -Encoding utf8 FILE)")

// Plain returns text that comes from a file without a byte order mark. UTF-16 is an error.
func Plain(text []byte) ([]byte, error) {
	if isUTF16(text) {
		return nil, ErrUTF16
	}
	return bytes.TrimPrefix(text, []byte(BOM)), nil
}

// isUTF16 reports whether text begins as UTF-16 does: with one of its marks, or with a character
// of ASCII in two bytes.
func isUTF16(text []byte) bool {
	return len(text) >= 2 && (text[0] == 0xff && text[1] == 0xfe || text[0] == 0xfe && text[1] == 0xff || (text[0] == 0) != (text[1] == 0))
}

// PlainReader returns a reader of the text of r that does with its beginning what [Plain] does. It
// waits for no more than the first byte, unless that may be the beginning of a mark.
func PlainReader(r io.Reader) io.Reader { return &plain{in: bufio.NewReader(r)} }

type plain struct {
	in    *bufio.Reader
	begun bool
}

func (p *plain) Read(b []byte) (int, error) {
	if !p.begun {
		if err := p.begin(); err != nil {
			return 0, err
		}
	}
	return p.in.Read(b)
}

// begin reads the mark, if there is one.
func (p *plain) begin() error {
	first, err := p.in.Peek(1)
	if err != nil {
		return err
	}
	switch p.begun = true; first[0] {
	case BOM[0]:
		if mark, _ := p.in.Peek(len(BOM)); string(mark) == BOM {
			_, _ = p.in.Discard(len(BOM)) // they are in the buffer
		}
	case 0, 0xfe, 0xff:
		if mark, _ := p.in.Peek(2); isUTF16(mark) {
			p.begun = false // nothing of it is read
			return ErrUTF16
		}
	}
	return nil
}
