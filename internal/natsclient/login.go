package natsclient

import (
	"fmt"
	"strings"

	"dojo.example/internal/regular"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// A Login is how a program identifies itself to an external NATS server. The first field that is
// not empty counts.
type Login struct {
	Creds  string // the path of a file with the JWT and the key of a user, as nsc writes it (.creds)
	NKey   string // the path of a file with the seed of a user's nkey
	Secret string // USER:PASSWORD or a NATS token
}

// maxLogin is the maximum size of a file with a login, in bytes.
const maxLogin = 1 << 16

// options returns the options of a connection that uses the login. The connection shows the login
// to the server, unless the server's URL contains a user and a password. It reads the file Creds
// again whenever it connects, so that a new JWT can replace one that expires.
func (l Login) options() ([]nats.Option, error) {
	user, password, isUser := strings.Cut(l.Secret, ":")
	switch {
	case l.Creds != "":
		if _, _, err := readCreds(l.Creds); err != nil {
			return nil, err
		}
		jwt := func() (string, error) {
			jwt, _, err := readCreds(l.Creds)
			return jwt, err
		}
		sign := func(nonce []byte) ([]byte, error) {
			_, key, err := readCreds(l.Creds)
			if err != nil {
				return nil, err
			}
			return key.Sign(nonce)
		}
		return []nats.Option{nats.UserJWT(jwt, sign)}, nil
	case l.NKey != "":
		key, err := readNKey(l.NKey)
		if err != nil {
			return nil, err
		}
		public, err := key.PublicKey()
		return []nats.Option{nats.Nkey(public, key.Sign)}, err
	case isUser:
		return []nats.Option{nats.UserInfo(user, password)}, nil
	case l.Secret != "":
		return []nats.Option{nats.Token(l.Secret)}, nil
	}
	return nil, nil
}

// readCreds reads a file with the JWT and the key of a user.
func readCreds(path string) (jwt string, key nkeys.KeyPair, err error) {
	text, err := regular.ReadText(path, maxLogin)
	if err != nil {
		return "", nil, fmt.Errorf("NATS credentials: %w", err)
	}
	if jwt, err = nkeys.ParseDecoratedJWT(text); err != nil || strings.Count(jwt, ".") != 2 || len(jwt) == len(text) {
		return "", nil, fmt.Errorf("NATS credentials: %s contains no user's JWT: give the .creds file that nsc writes", path)
	}
	if key, err = nkeys.ParseDecoratedUserNKey(text); err != nil {
		return "", nil, fmt.Errorf("NATS credentials: %s contains no user's key: give the .creds file that nsc writes", path)
	}
	return jwt, key, nil
}

// readNKey reads a file with the seed of a user's nkey.
func readNKey(path string) (nkeys.KeyPair, error) {
	text, err := regular.ReadText(path, maxLogin)
	if err != nil {
		return nil, fmt.Errorf("NATS nkey: %w", err)
	}
	key, err := nkeys.ParseDecoratedUserNKey(text)
	if err != nil {
		return nil, fmt.Errorf("NATS nkey: %s contains no seed of a user, which begins with SU; make one with: nk -gen user", path)
	}
	return key, nil
}
