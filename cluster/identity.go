package cluster

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
)

// The users of an embedded server. A worker that is let in is a user by its own name.
const (
	userGuest = "guest" // asks to be let in; its password is the token
	userHub   = "hub"
)

// A gatekeeper authenticates connections to an embedded server. A worker that is let in gets
// a password of its own, with which it may send results in its own name only. So it is the
// server that guarantees who has sent a result; the result itself could lie.
type gatekeeper struct {
	token string // "": anybody may ask to be let in
	hub   string // the hub's own password
	names names

	mu      sync.Mutex
	workers map[string]string // passwords by the workers' names; guarded by mu
	order   []string          // the names, in the order in which they were let in, and perhaps some that were cut off; guarded by mu
}

var _ server.Authentication = (*gatekeeper)(nil)

func newGatekeeper(token string, n names) *gatekeeper {
	return &gatekeeper{token: token, hub: rand.Text(), names: n, workers: map[string]string{}}
}

// maxWorkers bounds the memory for the names of workers; no run has so many.
const maxWorkers = 1 << 16

// admit returns the password with which the worker of a name may connect.
func (g *gatekeeper) admit(worker string) (password string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if password, ok := g.workers[worker]; ok {
		return password, nil
	}
	if len(g.workers) >= maxWorkers {
		return "", errors.New("too many workers of different names have joined")
	}
	password = rand.Text()
	g.workers[worker] = password
	g.order = append(g.order, worker)
	return password, nil
}

// expel makes the password of a worker invalid.
func (g *gatekeeper) expel(worker string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.workers, worker)
}

// Check decides about a connection; see server.Authentication.
func (g *gatekeeper) Check(c server.ClientAuthentication) bool {
	user, password := c.GetOpts().Username, c.GetOpts().Password
	u := &server.User{Username: user}
	switch {
	case user == userHub && same(password, g.hub):
	case g.isGuest(user, password) && isNonce(c.GetOpts().Name):
		u.Username, u.Permissions = userGuest, guestPermissions(g.names, c.GetOpts().Name)
	case g.isWorker(user, password):
		u.Permissions = workerPermissions(g.names, user)
	default:
		return false
	}
	c.RegisterUser(u)
	return true
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

// isWorker reports whether a worker that has been let in has this name and password.
func (g *gatekeeper) isWorker(name, password string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	want, ok := g.workers[name]
	return ok && same(password, want)
}

// same compares secrets in a time that does not depend on where they differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// inbox returns the beginning of the subjects on which one connection, and no other, gets
// answers. name is the worker's name, or a guest's nonce.
func inbox(name string) string { return "_INBOX." + digest([]byte(name))[:16] }

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

// guestPermissions let a program say hello. The answer has the worker's password, and nobody
// else can read it, because its subject has a random part.
func guestPermissions(n names, nonce string) *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{helloSubject, n.helloSubject()}},
		Subscribe: &server.SubjectPermission{Allow: []string{inbox(nonce) + ".>"}},
	}
}

// workerPermissions let a worker take tasks, read models, and send results and heartbeats in
// its own name.
func workerPermissions(n names, worker string) *server.Permissions {
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			n.resultsSubject(worker), n.heartbeatSubject(worker),
			"$JS.API.CONSUMER.INFO." + n.jobs() + "." + consumer,
			"$JS.API.CONSUMER.MSG.NEXT." + n.jobs() + "." + consumer,
			"$JS.ACK." + n.jobs() + "." + consumer + ".>",
			"$JS.API.STREAM.INFO." + n.models(),
			"$JS.API.DIRECT.GET." + n.models() + ".>",
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{inbox(worker) + ".>", n.stateSubject()}},
	}
}
