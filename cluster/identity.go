package cluster

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

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
	token string // "": anybody may ask to be let in
	hub   string // the hub's own password
	names names

	ready   chan struct{}   // closed when outside is set, or the server could not be started
	outside *server.Account // of guests and workers

	mu      sync.Mutex
	workers map[string]*admission // by the workers' names; guarded by mu
	order   []string              // the names, in the order in which they were let in, and perhaps some that were cut off; guarded by mu
}

// An admission is what the gatekeeper knows of a worker that it has let in.
type admission struct {
	password  string
	since     time.Time // when the worker was last let in
	connected bool      // it has used the password since then
}

var _ server.Authentication = (*gatekeeper)(nil)

func newGatekeeper(token string, n names) *gatekeeper {
	return &gatekeeper{token: token, hub: rand.Text(), names: n, ready: make(chan struct{}), workers: map[string]*admission{}}
}

// outsideAccount is the name of the account of guests and workers.
const outsideAccount = "workers"

// separate gives guests and workers an account of their own, apart from the hub's, in which the
// streams are. Between the two pass only the subjects listed here, and the answers. The server
// sends an answer to any subject that a request names; in an account of their own, a request for
// a task with $JS.API.STREAM.DELETE… as the subject of the answer deletes nothing.
func (g *gatekeeper) separate(s *server.Server) error {
	hub := s.GlobalAccount()
	outside, err := s.RegisterAccount(outsideAccount)
	if err != nil {
		return err
	}
	n := g.names
	for _, subject := range slices.Concat(guestRequests(n), workerRequests(n, n.resultsSubjects(), n.heartbeatSubjects())) {
		err = errors.Join(err, hub.AddServiceExport(subject, []*server.Account{outside}), outside.AddServiceImport(hub, subject, subject))
	}
	for _, subject := range []string{n.stateSubject(), n.checkSubjects()} {
		err = errors.Join(err, hub.AddStreamExport(subject, []*server.Account{outside}), outside.AddStreamImport(hub, subject, ""))
	}
	g.outside = outside
	return err
}

// maxWorkers bounds the memory for the names of workers. It is far more than a run has.
const maxWorkers = 1 << 16

// admit returns the password with which the worker of a name may connect. It is a new one, unless
// the worker has the last one.
func (g *gatekeeper) admit(worker, old string) (password string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch a := g.workers[worker]; {
	case a != nil && same(old, a.password):
		a.since, a.connected = time.Now(), false // it connects again
		return old, nil
	case a == nil && len(g.workers) >= maxWorkers:
		return "", errors.New("too many workers of different names have joined")
	}
	if g.workers[worker] == nil {
		g.order = append(g.order, worker)
	}
	password = rand.Text()
	g.workers[worker] = &admission{password: password, since: time.Now()}
	return password, nil
}

// isTaken reports whether a worker was let in under this name with another password, and is
// connected or may still connect. isThere reports whether it is connected.
func (g *gatekeeper) isTaken(worker, old string, isThere func() bool) bool {
	g.mu.Lock()
	a := g.workers[worker]
	if a == nil || same(old, a.password) {
		g.mu.Unlock()
		return false
	}
	connected, since := a.connected, a.since
	g.mu.Unlock() // isThere waits for connections, which may wait for Check
	if !connected {
		return time.Since(since) < awayAfter
	}
	return isThere()
}

// expel makes the password of a worker invalid.
func (g *gatekeeper) expel(worker string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.workers, worker)
}

// Check decides about a connection; see server.Authentication.
func (g *gatekeeper) Check(c server.ClientAuthentication) bool {
	<-g.ready
	if g.outside == nil {
		return false
	}
	user, password := c.GetOpts().Username, c.GetOpts().Password
	u := &server.User{Username: user, Account: g.outside}
	switch {
	case user == userHub && same(password, g.hub):
		u.Account = nil // the server's own, with the streams
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
	a := g.workers[name]
	if a == nil || !same(password, a.password) {
		return false
	}
	a.connected = true
	return true
}

// same compares secrets in a time that does not depend on where they differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// inbox returns the beginning of the subjects on which one connection, and no other, gets
// answers. name is the worker's name, or a guest's nonce.
func inbox(name string) string { return "_INBOX." + digest([]byte(name))[:16] }

// connections lists the connections of a worker to an embedded server.
func connections(s *server.Server, worker string) ([]*server.ConnInfo, error) {
	all, err := s.Connz(&server.ConnzOptions{Username: true, User: worker, Account: outsideAccount, Limit: maxConnections})
	if err != nil {
		return nil, err
	}
	return all.Conns, nil
}

// disconnect closes the connections of a worker to an embedded server.
func disconnect(s *server.Server, worker string) error {
	all, err := connections(s, worker)
	for _, c := range all {
		err = errors.Join(err, s.DisconnectClientByID(c.Cid))
	}
	return err
}

// guestPermissions let a program say hello. The answer has the worker's password, and nobody
// else can read it, because its subject has a random part.
func guestPermissions(n names, nonce string) *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: guestRequests(n)},
		Subscribe: &server.SubjectPermission{Allow: []string{inbox(nonce) + ".>"}},
	}
}

// guestRequests lists the subjects on which a guest says hello.
func guestRequests(n names) []string { return []string{helloSubject, n.helloSubject()} }

// workerPermissions let a worker take tasks, read models, and send results and heartbeats under
// its name.
func workerPermissions(n names, worker string) *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: workerRequests(n, n.resultsSubject(worker), n.heartbeatSubject(worker))},
		Subscribe: &server.SubjectPermission{Allow: []string{inbox(worker) + ".>", n.stateSubject(), n.checkSubject(worker)}},
	}
}

// workerRequests lists the subjects on which a worker may send; the first two are its own.
func workerRequests(n names, results, heartbeats string) []string {
	return []string{
		results, heartbeats,
		"$JS.API.CONSUMER.INFO." + n.jobs() + "." + consumer,
		"$JS.API.CONSUMER.MSG.NEXT." + n.jobs() + "." + consumer,
		"$JS.ACK." + n.jobs() + "." + consumer + ".>",
		"$JS.API.STREAM.INFO." + n.models(),
		"$JS.API.DIRECT.GET." + n.models() + ".>",
	}
}
