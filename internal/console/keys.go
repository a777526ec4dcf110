package console

import (
	"bytes"
	"io"
)

// keys reads what is typed at a terminal, for term.Terminal. That never returns from an escape
// sequence of more than 256 bytes, takes control characters for a part of an unfinished one, and
// ignores Ctrl-C after the sequence that begins a paste. keys passes on whole sequences of at most
// maxKey bytes, and drops the others.
type keys struct {
	r      io.Reader
	buffer [256]byte
	ready  []byte // to be passed on
	key    []byte // the escape sequence so far, at most maxKey+1 bytes; empty outside of one
	err    error  // what r has ended with
}

const (
	escape     = 0x1b
	maxKey     = 32
	beginPaste = "\x1b[200~"
)

func (k *keys) Read(p []byte) (int, error) {
	for len(k.ready) == 0 {
		if k.err != nil {
			return 0, k.err
		}
		var n int
		n, k.err = k.r.Read(k.buffer[:])
		for _, c := range k.buffer[:n] {
			k.take(c)
		}
	}
	n := copy(p, k.ready)
	k.ready = k.ready[n:]
	return n, nil
}

// take takes the next byte.
func (k *keys) take(c byte) {
	switch {
	case c == escape: // also where it breaks off another sequence
		k.key = append(k.key[:0], c)
	case len(k.key) == 0 || c < ' ': // a control character ends an unfinished sequence
		k.key = k.key[:0]
		k.ready = append(k.ready, c)
	default:
		if len(k.key) <= maxKey {
			k.key = append(k.key, c)
		}
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '~' { // its end, as for term.Terminal
			if len(k.key) <= maxKey && !bytes.Equal(k.key, []byte(beginPaste)) {
				k.ready = append(k.ready, k.key...)
			}
			k.key = k.key[:0]
		}
	}
}
