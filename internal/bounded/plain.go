package bounded

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// BOM is the byte order mark. Notepad and PowerShell 5 write it at the beginning of UTF-8 files.
const BOM = "\uFEFF"

// ErrUTF16 is the error if a text is in UTF-16. PowerShell 5 writes UTF-16 with > and Out-File.
var ErrUTF16 = errors.New("the text is UTF-16; save it as UTF-8 (in PowerShell 5: command | Set-Content -Encoding utf8 FILE)")

// Plain returns the text of a file without its byte order mark. It returns ErrUTF16 if the text is
// in UTF-16.
func Plain(text []byte) ([]byte, error) {
	if isUTF16(text) {
		return nil, ErrUTF16
	}
	return bytes.TrimPrefix(text, []byte(BOM)), nil
}

// isUTF16 reports whether text is probably UTF-16: it begins with the byte order mark of UTF-16, or
// with an ASCII character that takes two bytes.
func isUTF16(text []byte) bool {
	return len(text) >= 2 && (text[0] == 0xff && text[1] == 0xfe || text[0] == 0xfe && text[1] == 0xff || (text[0] == 0) != (text[1] == 0))
}

// PlainReader returns a reader of r that drops the byte order mark and refuses UTF-16, as [Plain]
// does. At the beginning it waits for only one byte, unless that byte may belong to a mark.
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

// begin drops the byte order mark if r begins with one. It returns an error if the text is in
// UTF-16.
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
			p.begun = false // makes every later Read fail too
			return ErrUTF16
		}
	}
	return nil
}
