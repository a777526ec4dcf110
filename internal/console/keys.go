package console

import (
	"bytes"
	"io"
)

// keys filters what is typed at a terminal, because term.Terminal has three problems: it never
// returns from an escape sequence of more than 256 bytes, it takes a control character for a part
// of an unfinished sequence, and it ignores Ctrl-C after the sequence that begins a paste. keys
// passes on complete sequences of at most maxKey bytes and drops all other sequences.
type keys struct {
	r      io.Reader
	buffer [256]byte
	ready  []byte // bytes ready to be passed on
	key    []byte // escape sequence so far, at most maxKey+1 bytes; empty outside a sequence
	err    error  // error with which r ended
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

// take processes the next byte.
func (k *keys) take(c byte) {
	switch {
	case c == escape: // an escape also ends an unfinished sequence
		k.key = append(k.key[:0], c)
	case len(k.key) == 0 || c < ' ': // a control character ends an unfinished sequence
		k.key = k.key[:0]
		k.ready = append(k.ready, c)
	default:
		if len(k.key) <= maxKey {
			k.key = append(k.key, c)
		}
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '~' { // end of the sequence, by the same rule as in term.Terminal
			if len(k.key) <= maxKey && !bytes.Equal(k.key, []byte(beginPaste)) {
				k.ready = append(k.ready, k.key...)
			}
			k.key = k.key[:0]
		}
	}
}
