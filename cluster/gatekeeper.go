package cluster

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A gatekeeper authenticates connections to an embedded server. A worker shows the token, and
// signs with its key what the server has just drawn. So it is the server that guarantees who has
// sent a message, and that nobody else reads the answer; a result itself could lie.
type gatekeeper struct {
	token string // what a worker must show; "" for nothing
	hub   string // the hub's own password
	names names

	isRefused func(worker string) (why string) // see Hub.isRefused
}

var _ server.Authentication = (*gatekeeper)(nil)

// userHub is the hub as a user of its embedded server.
const userHub = "hub"

// connectAs are the options of a worker's connection to an embedded server; see gatekeeper.
func connectAs(name string, key Key, token string) []nats.Option {
	return []nats.Option{
		nats.Name(name), nats.CustomInboxPrefix(inbox(identified(name, key.public()))), nats.Token(token),
		nats.Nkey(key.public(), func(nonce []byte) ([]byte, error) { return letters.DecodeString(key.sign(joining(nonce))) }),
	}
}

// joining is what a worker signs to connect. It cannot be taken for another message of a worker's,
// whatever a false server has drawn.
func joining(nonce []byte) []byte { return append([]byte("join "), nonce...) }

// Check decides about a connection; see server.Authentication. A worker that is refused may still
// say hello, and hears why.
func (g *gatekeeper) Check(c server.ClientAuthentication) bool {
	opt := c.GetOpts()
	if opt.Username == userHub {
		return same(opt.Password, g.hub)
	}
	signature, err := base64.RawURLEncoding.DecodeString(opt.Sig)
	if err != nil || !same(opt.Token, g.token) || !signed(opt.Nkey, joining(c.GetNonce()), letters.EncodeToString(signature)) {
		return false
	}
	worker := identified(opt.Name, opt.Nkey)
	send, hear := []string{helloSubject, g.names.helloSubject()}, []string{inbox(worker) + ".>"}
	if g.isRefused(worker) == "" {
		send, hear = append(send, g.names.subject("*", identity(worker))), append(hear, g.names.stateSubject())
	}
	c.RegisterUser(&server.User{Permissions: &server.Permissions{
		Publish: &server.SubjectPermission{Allow: send}, Subscribe: &server.SubjectPermission{Allow: hear},
	}})
	return true
}

// same compares secrets in a time that does not depend on where they differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// disconnect closes the connections of workers to an embedded server that are to be closed.
func disconnect(s *server.Server, closes func(worker string, c *server.ConnInfo) bool) error {
	all, err := s.Connz(&server.ConnzOptions{Username: true, Limit: maxConnections})
	if err != nil {
		return err
	}
	for _, c := range all.Conns {
		if c.AuthorizedUser != userHub && closes(identified(c.Name, c.AuthorizedUser), c) {
			err = errors.Join(err, s.DisconnectClientByID(c.Cid))
		}
	}
	return err
}
