package cluster

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// address splits HOST:PORT; a port of 0 is a free one.
func address(listen string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("%q is not of the form HOST:PORT", listen)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("%q: %s is no port", listen, text)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// CheckListen returns an error unless an address has the form HOST:PORT.
func CheckListen(listen string) error {
	_, _, err := address(listen)
	return err
}

// CheckURL returns an error unless an address is one of NATS servers: URLs, with commas between
// them, whose scheme may be left out.
func CheckURL(servers string) error {
	for url := range strings.SplitSeq(servers, ",") {
		scheme, _, ok := strings.Cut(url, "://")
		if ok && !slices.Contains([]string{"nats", "tls", "ws", "wss"}, scheme) {
			return fmt.Errorf("%q is not the URL of a NATS server, which begins with nats://, tls://, ws:// or wss://", withoutLogin(url))
		}
	}
	return nil
}

// Loopback reports whether the address HOST:PORT can be reached from this machine only.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// reachable returns the HOST:PORT by which other machines reach a server that listens on
// address. If that stands for all of the machine's addresses, such as 0.0.0.0, the host is the
// first one that is not loopback, or the machine's name.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return address
	}
	addresses, err := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && err == nil && n.IP.IsGlobalUnicast() {
			return net.JoinHostPort(n.IP.String(), port)
		}
	}
	if name, err := os.Hostname(); err == nil {
		return net.JoinHostPort(name, port)
	}
	return address
}

// logins matches the user and the password in URLs of servers.
var logins = regexp.MustCompile(`[^/,]*@`)

// withoutLogin returns a server's address, or several with commas between them, without the
// users and passwords: for messages.
func withoutLogin(address string) string { return logins.ReplaceAllString(address, "") }

// credentials returns how a secret, USER:PASSWORD or a token of NATS, is shown to a server. What the
// server's URL has goes before it.
func credentials(secret string) nats.Option {
	if user, password, ok := strings.Cut(secret, ":"); ok {
		return nats.UserInfo(user, password)
	}
	return nats.Token(secret)
}

// tryPort returns an error if HOST:PORT cannot be listened on. The server itself would only
// log that.
func tryPort(listen string) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	return l.Close()
}

// maxConnections is the largest number of connections to an embedded server.
const maxConnections = 4096

// maxSubscriptions is the largest number of subscriptions of a connection. The hub has seven, and a worker two.
const maxSubscriptions = 16

// connectionLimit is the number of connections that leaves files to the rest of the process, so that
// a flood of them, which the server closes after two seconds unless they log in, does no harm to it.
func connectionLimit() int { return min(maxConnections, openFiles()/2) }

// startServer starts the embedded server of a hub. It does not listen yet; see listen.
func startServer(hub HubOptions, g *gatekeeper) (*server.Server, error) {
	host, port, err := address(hub.Listen)
	if err == nil && !hub.unheard {
		err = tryPort(hub.Listen)
	}
	if err != nil {
		return nil, err
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "dojo", Host: host, Port: port, DontListen: true,
		MaxPayload: maxResult + maxMessage, MaxConn: connectionLimit(), MaxSubs: maxSubscriptions,
		NoSigs: true, NoLog: true,
		TLS: hub.TLS != nil, TLSConfig: hub.TLS,
		CustomClientAuthentication: g, AlwaysEnableNonce: true,
	})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", hub.Listen, err)
	}
	go s.Start() // which returns; Shutdown ends what it has started
	if !s.ReadyForConnections(10 * time.Second) {
		s.Shutdown()
		return nil, fmt.Errorf("listen on %s: the server does not start", hub.Listen)
	}
	return s, nil
}

// listen makes the embedded server listen. The hub connects before: a flood of connections leaves no
// room for its own.
func listen(s *server.Server, address string) error {
	listening := make(chan struct{})
	s.AcceptLoop(listening)
	if <-listening; s.Addr() == nil {
		return fmt.Errorf("listen on %s: the server does not start", address)
	}
	return nil
}
