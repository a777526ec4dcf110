package wire

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"dojo.example/data/rundir"

	"github.com/nats-io/nkeys"
)

// A Key is the private key of a worker. The hub recognises the worker by it. The key is an nkey,
// the kind of key that NATS uses.
type Key struct{ pair nkeys.KeyPair }

// NewKey returns a random key.
func NewKey() Key {
	pair, err := nkeys.CreateUser()
	if err != nil {
		panic(err) // cannot happen: the system's random number generator never fails
	}
	return Key{pair}
}

// ParseKey reads a key from the text of a seed, the secret part of the key.
func ParseKey(text []byte) (k Key, err error) {
	if old, err := letters.DecodeString(strings.TrimSpace(string(text))); err == nil && len(old) == ed25519.SeedSize { // programs before protocol 11 wrote the bare seed
		if text, err = nkeys.EncodeSeed(nkeys.PrefixByteUser, old); err != nil {
			return k, err
		}
	}
	k.pair, err = nkeys.ParseDecoratedUserNKey(text)
	return k, err
}

// Seed returns the secret part of the key; see ParseKey.
func (k Key) Seed() ([]byte, error) { return k.pair.Seed() }

// Public returns the public key.
func (k Key) Public() string {
	public, err := k.pair.PublicKey()
	if err != nil {
		panic(err) // cannot happen: every pair has a public key
	}
	return public
}

// Sign returns the signature of a message.
func (k Key) Sign(message []byte) []byte {
	signature, err := k.pair.Sign(message)
	if err != nil {
		panic(err) // cannot happen: a pair with a private key can always sign
	}
	return signature
}

// Signed reports whether signature is the signature of message by the owner of the public key.
// Several texts would decode to the same public key, because base32 ignores line feeds and nkeys
// ignores the last bits of the prefix. Signed accepts only one of them.
func Signed(public string, message, signature []byte) bool {
	key, err := nkeys.FromPublicKey(public)
	if err != nil || !nkeys.IsValidPublicUserKey(public) {
		return false
	}
	exact, err := key.PublicKey()
	return err == nil && exact == public && key.Verify(message, signature) == nil
}

// letters is the encoding of seeds and public keys as text. A seed is the secret part of a key.
var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

// Identified returns the name by which the hub knows a worker: the name that the worker has chosen,
// followed by the identity of its public key. No worker with a different key can have this name.
func Identified(name, public string) string {
	raw, _ := nkeys.Decode(nkeys.PrefixByteUser, []byte(public)) // an invalid public key does no harm here, because nobody can sign with it
	sum := sha256.Sum256([]byte(letters.EncodeToString(raw)))
	return Shorten(name, 80) + "-" + letters.EncodeToString(sum[:])[:rundir.KeyLetters]
}

// Shorten cuts a text that has more than the given number of characters, and appends an ellipsis.
// It is for texts that come from workers.
func Shorten(text string, most int) string {
	if name := []rune(text); len(name) > most {
		return string(name[:most]) + "…"
	}
	return text
}
