package hub

import (
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"dojo.example/cluster/wire"
	"dojo.example/internal/process"
)

// maxConnections is the largest number of connections to an embedded server.
const maxConnections = 4096

// maxSubscriptions is the largest number of subscriptions of one connection. The hub itself has 15
// subscriptions, nine of which belong to its NATS service. A worker has two.
const maxSubscriptions = 20

// startServer starts the embedded server of a hub. The server does not listen yet; see listen.
func startServer(hub Options, g *gatekeeper) (*server.Server, error) {
	const startTimeout = 10 * time.Second
	host, port, err := wire.SplitAddress(hub.Listen)
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if err == nil && !hub.unheard {
		var l net.Listener // listen first, to get the reason if the port cannot be used; NATS would only log that
		if l, err = net.Listen("tcp", hub.Listen); err == nil {
			err = l.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "dojo", Host: host, Port: port, DontListen: true,
		MaxPayload: wire.MaxMessage + wire.PieceSize, MaxSubs: maxSubscriptions,
		// The embedded server allows at most half as many connections as the process may open
		// files, so that a flood of connections leaves the other half of the files. The server
		// closes connections that do not log in within two seconds.
		MaxConn: min(maxConnections, process.OpenFiles()/2),
		NoSigs:  true, NoLog: true,
		TLS: hub.TLS != nil, TLSConfig: hub.TLS,
		CustomClientAuthentication: g, AlwaysEnableNonce: true,
	})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", hub.Listen, err)
	}
	go s.Start() // Start returns immediately; Shutdown ends the goroutines that Start has begun
	if !s.ReadyForConnections(startTimeout) {
		s.Shutdown()
		return nil, fmt.Errorf("listen on %s: the server did not start within %v", hub.Listen, startTimeout)
	}
	return s, nil
}

// listen makes the embedded server listen on the address. The hub connects to the server before
// that: later, a flood of connections could exhaust the limit and keep the hub itself out.
func listen(s *server.Server, address string) error {
	listening := make(chan struct{})
	s.AcceptLoop(listening)
	if <-listening; s.Addr() == nil {
		return fmt.Errorf("listen on %s: the server could not open the port; is another program using it?", address)
	}
	return nil
}
