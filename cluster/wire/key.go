package wire

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dojo.example/data/rundir"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/regular"
)

// A Key is the private key of a worker, by which it is known: its results are signed, and its
// name at the hub ends with the key's identity.
type Key struct{ private ed25519.PrivateKey }

// NewKey returns a random key.
func NewKey() Key {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err) // the system's random numbers never fail
	}
	return Key{private}
}

// KeyFile reads a key from a file, and makes one there if there is none. It calls warn if others can read the
// new file, because the file system does not know owners.
func KeyFile(path string, warn func(text string)) (k Key, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("key: %w", err)
		}
	}()
	text, err := regular.ReadText(path, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		k = NewKey()
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = atomicfile.WriteBytes(path, []byte(letters.EncodeToString(k.private.Seed())+"\n"))
		}
		protected := true
		if err == nil {
			protected, err = atomicfile.Protect(path)
		}
		if err == nil && !protected {
			warn(fmt.Sprintf("other users of this machine can read the key in %s: its file system has no permissions", path))
		}
		return k, err
	}
	seed, ok := decode(strings.TrimSpace(string(text)), ed25519.SeedSize)
	if err == nil && !ok {
		err = fmt.Errorf("%s does not hold the key of a worker; remove it, and a new one is made", path)
	}
	if err != nil {
		return k, err
	}
	return Key{ed25519.NewKeyFromSeed(seed)}, nil
}

// letters is how keys and signatures are written.
var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

// decode returns the size bytes that text stands for. ok is false unless text is exactly what letters
// writes for these bytes. Otherwise one key would have any number of spellings, and each would be another
// worker: base32 ignores line feeds, and the last bits of the last letter.
func decode(text string, size int) (data []byte, ok bool) {
	if len(text) != letters.EncodedLen(size) {
		return nil, false
	}
	data, err := letters.DecodeString(text)
	return data, err == nil && letters.EncodeToString(data) == text
}

// IsZero reports whether there is no key.
func (k Key) IsZero() bool { return k.private == nil }

// Public returns the public key.
func (k Key) Public() string { return letters.EncodeToString(k.private.Public().(ed25519.PublicKey)) }

// Sign returns the signature of a message.
func (k Key) Sign(message []byte) string {
	return letters.EncodeToString(ed25519.Sign(k.private, message))
}

// Signed reports whether a message was signed with the private key that belongs to public.
func Signed(public string, message []byte, signature string) bool {
	key, isKey := decode(public, ed25519.PublicKeySize)
	s, isSignature := decode(signature, ed25519.SignatureSize)
	return isKey && isSignature && ed25519.Verify(key, message, s)
}

// Identified returns the name of a worker at the hub: the name that it has chosen, and the
// identity of its public key. Nobody else can have that name.
func Identified(name, public string) string {
	sum := sha256.Sum256([]byte(public))
	return Shorten(name, 80) + "-" + letters.EncodeToString(sum[:])[:rundir.KeyLetters]
}

// Shorten shortens a text that came from a worker to so many characters.
func Shorten(text string, most int) string {
	if name := []rune(text); len(name) > most {
		return string(name[:most]) + "…"
	}
	return text
}
