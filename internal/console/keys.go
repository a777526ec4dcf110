package console

import (
	"bytes"
	"io"
)

// keys filters the bytes that a user types at a terminal, because term.Terminal has three problems
// with escape sequences (the bytes that a key such as an arrow key sends). It hangs after a
// sequence of more than 256 bytes. It treats a control character as part of an unfinished sequence.
// And after the sequence that announces pasted text, it ignores Ctrl-C. So keys passes on only
// complete sequences of at most maxKey bytes, and never the one that announces pasted text.
type keys struct {
	r      io.Reader
	buffer [256]byte
	ready  []byte // bytes that are ready to be passed on
	key    []byte // unfinished escape sequence, at most maxKey+1 bytes; empty if there is none
	err    error  // error of the last read from r; nil if there was none
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

// take processes one byte read from r.
func (k *keys) take(c byte) {
	switch {
	case c == escape: // an escape character starts a new sequence, even inside an unfinished one
		k.key = append(k.key[:0], c)
	case len(k.key) == 0 || c < ' ': // a control character ends an unfinished sequence
		k.key = k.key[:0]
		k.ready = append(k.ready, c)
	default:
		if len(k.key) <= maxKey {
			k.key = append(k.key, c)
		}
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '~' { // the sequence ends; term.Terminal uses the same rule
			if len(k.key) <= maxKey && !bytes.Equal(k.key, []byte(beginPaste)) {
				k.ready = append(k.ready, k.key...)
			}
			k.key = k.key[:0]
		}
	}
}
