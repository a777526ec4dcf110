package hub

import (
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"dojo.example/cluster/wire"
	"dojo.example/internal/process"
)

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

// maxSubscriptions is the largest number of subscriptions of a connection. The hub has 15, of which
// nine belong to its NATS service, and a worker has two.
const maxSubscriptions = 20

// startServer starts the embedded server of a hub. It does not listen yet; see listen.
func startServer(hub Options, g *gatekeeper) (*server.Server, error) {
	host, port, err := wire.SplitAddress(hub.Listen)
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if err == nil && !hub.unheard {
		err = tryPort(hub.Listen)
	}
	if err != nil {
		return nil, err
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "dojo", Host: host, Port: port, DontListen: true,
		MaxPayload: wire.MaxResult + wire.MaxMessage, MaxSubs: maxSubscriptions,
		// a flood of connections, which the server closes after two seconds unless they log in, leaves files to
		// the rest of the process
		MaxConn: min(maxConnections, process.OpenFiles()/2),
		NoSigs:  true, NoLog: true,
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
