package wire

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// ConnectAs returns the options of a worker's connection to the embedded server of a hub. The
// worker shows a token, and signs a nonce that the server has sent; see Joins.
func ConnectAs(name string, key Key, token string) []nats.Option {
	return []nats.Option{
		nats.Name(name), nats.CustomInboxPrefix(Inbox(Identified(name, key.Public()))), nats.Token(token),
		nats.Nkey(key.Public(), func(nonce []byte) ([]byte, error) { return key.pair.Sign(joining(nonce)) }),
	}
}

// Joins reports whether the signature that a worker shows when it connects is valid. The owner of
// the public key must have signed the nonce that the server has sent to this worker.
func Joins(public string, nonce, signature []byte) bool {
	return Signed(public, joining(nonce), signature)
}

// joining returns the text that a worker signs to connect: a prefix and the server's nonce. Because
// of the prefix, this signature is not valid for any other message of the worker, whatever nonce a
// malicious server sends.
func joining(nonce []byte) []byte { return append([]byte("join "), nonce...) }

// Unanswered improves the error of a request: if no answer arrived in time, it returns an error
// that says so. It returns other errors unchanged.
func Unanswered(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) {
		return fmt.Errorf("no answer in time: %w", err)
	}
	return err
}
