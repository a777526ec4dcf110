package bounded

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// BOM is the byte order mark. Notepad and PowerShell 5 write it at the beginning of UTF-8 files.
const BOM = "\uFEFF"

// ErrUTF16 is the error for text in UTF-16. In PowerShell 5, > and Out-File write UTF-16.
var ErrUTF16 = errors.New("the text is UTF-16; save it as UTF-8 (in PowerShell 5: command | Set-Content -Encoding utf8 FILE)")

// Plain returns text without its byte order mark. If text is in UTF-16, it returns ErrUTF16.
func Plain(text []byte) ([]byte, error) {
	if isUTF16(text) {
		return nil, ErrUTF16
	}
	return bytes.TrimPrefix(text, []byte(BOM)), nil
}

// isUTF16 reports whether text is probably UTF-16: it begins with the byte order mark of UTF-16, or
// with an ASCII character stored in two bytes.
func isUTF16(text []byte) bool {
	return len(text) >= 2 && (text[0] == 0xff && text[1] == 0xfe || text[0] == 0xfe && text[1] == 0xff || (text[0] == 0) != (text[1] == 0))
}

// PlainReader returns a reader of r that removes the byte order mark and rejects UTF-16, as [Plain]
// does. Its first read waits for only one byte, unless that byte may belong to a byte order mark.
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

// begin removes the byte order mark at the beginning of r, if there is one. It returns an error if
// the text is in UTF-16.
func (p *plain) begin() error {
	first, err := p.in.Peek(1)
	if err != nil {
		return err
	}
	switch p.begun = true; first[0] {
	case BOM[0]:
		if mark, _ := p.in.Peek(len(BOM)); string(mark) == BOM {
			_, _ = p.in.Discard(len(BOM)) // this cannot fail, because the bytes are in the buffer
		}
	case 0, 0xfe, 0xff:
		if mark, _ := p.in.Peek(2); isUTF16(mark) {
			p.begun = false // so that every later Read fails too
			return ErrUTF16
		}
	}
	return nil
}
