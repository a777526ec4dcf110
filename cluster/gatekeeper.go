package cluster

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// The users of an embedded server. A worker that is let in is a user by its own name.
const (
	userGuest = "guest" // asks to be let in; its password is the token
	userHub   = "hub"
)

// A gatekeeper authenticates connections to an embedded server. A worker that is let in gets
// a password of its own, with which it may send results under its name only. So it is the
// server that guarantees who has sent a result; the result itself could lie.
type gatekeeper struct {
	token  string // "": anybody may ask to be let in
	hub    string // the hub's own password
	names  names
	roster *roster // knows the workers' passwords
}

var _ server.Authentication = (*gatekeeper)(nil)

func newGatekeeper(token string, n names, r *roster) *gatekeeper {
	return &gatekeeper{token, rand.Text(), n, r}
}

// Check decides about a connection; see server.Authentication.
func (g *gatekeeper) Check(c server.ClientAuthentication) bool {
	user, password, nonce := c.GetOpts().Username, c.GetOpts().Password, c.GetOpts().Name
	u := &server.User{Username: user}
	switch {
	case user == userHub && same(password, g.hub):
	case g.isGuest(user, password) && isNonce(nonce):
		u.Username = userGuest
		// The answer has the worker's password, and nobody else can read it, because its subject
		// has a random part.
		u.Permissions = permissions([]string{helloSubject, g.names.helloSubject()}, inbox(nonce)+".>")
	case g.roster.authenticates(user, password):
		u.Permissions = permissions([]string{g.names.subject("*", identity(user))}, inbox(user)+".>", g.names.stateSubject())
	default:
		return false
	}
	c.RegisterUser(u)
	return true
}

// permissions let a client send on some subjects and hear what comes on others.
func permissions(send []string, hear ...string) *server.Permissions {
	return &server.Permissions{Publish: &server.SubjectPermission{Allow: send}, Subscribe: &server.SubjectPermission{Allow: hear}}
}

// isGuest reports whether a user may ask to be let in.
func (g *gatekeeper) isGuest(user, password string) bool {
	if g.token == "" {
		return user == "" && password == ""
	}
	return user == userGuest && same(password, g.token)
}

// isNonce reports whether the name of a guest's connection looks like a result of rand.Text.
func isNonce(name string) bool {
	return len(name) == len(rand.Text()) && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// same compares secrets in a time that does not depend on where they differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// disconnect closes the connections of a worker to an embedded server.
func disconnect(s *server.Server, worker string) error {
	all, err := s.Connz(&server.ConnzOptions{Username: true, User: worker, Limit: maxConnections})
	if err != nil {
		return err
	}
	for _, c := range all.Conns {
		err = errors.Join(err, s.DisconnectClientByID(c.Cid))
	}
	return err
}
