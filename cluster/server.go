package cluster

import (
	"errors"
	"fmt"
	"net"
	"strconv"
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

// CheckListen is an error where a hub cannot listen because it is no HOST:PORT.
func CheckListen(listen string) error {
	_, _, err := address(listen)
	return err
}

// Loopback reports whether only programs on this machine can reach HOST:PORT.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// maxConnections is the largest number of connections to an embedded server.
const maxConnections = 4096

// startServer starts an embedded server that keeps its streams in the folder dir.
func startServer(listen, dir string, g *gatekeeper) (*server.Server, error) {
	host, port, err := address(listen)
	if err != nil {
		return nil, err
	}
	opt := &server.Options{
		ServerName: "dojo", Host: host, Port: port,
		JetStream: true, StoreDir: dir,
		MaxPayload: maxShard + maxMessage, MaxConn: maxConnections,
		NoSigs: true, NoLog: true,
		CustomClientAuthentication: g,
	}
	s, err := server.NewServer(opt)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", listen, err)
	}
	// The server reports a port that is taken to its log alone, so it is tried before.
	if port > 0 {
		l, err := net.Listen("tcp", listen)
		if err != nil {
			return nil, err
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
	}
	go s.Start() // which returns; Shutdown ends what it has started
	if !s.ReadyForConnections(10 * time.Second) {
		s.Shutdown()
		return nil, fmt.Errorf("listen on %s: the server does not start; can it write to %s?", listen, dir)
	}
	return s, nil
}

// connectHub connects to the embedded server within the process.
func connectHub(s *server.Server, g *gatekeeper) (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(s), nats.UserInfo(userHub, g.hub), nats.Name("dojo trainer"))
}

// errNoServer explains why neither a server nor an address is there.
var errNoServer = errors.New("neither an address to listen on nor a server's URL is given")
