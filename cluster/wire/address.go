package wire

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// SplitAddress splits an address HOST:PORT into its host and its port.
func SplitAddress(listen string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("%q is not of the form HOST:PORT", listen)
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("%q: %s is not a port number", listen, text)
	}
	return host, int(n), nil
}

// CheckListen returns an error unless an address has the form HOST:PORT.
func CheckListen(listen string) error {
	_, _, err := SplitAddress(listen)
	return err
}

// CheckURL returns an error unless servers is a list of URLs of NATS servers, separated by commas.
// A URL may omit its scheme (such as nats://).
func CheckURL(servers string) error {
	for url := range strings.SplitSeq(servers, ",") {
		scheme, _, ok := strings.Cut(url, "://")
		if ok && !slices.Contains([]string{"nats", "tls", "ws", "wss"}, scheme) {
			return fmt.Errorf("%q is not the URL of a NATS server, which begins with nats://, tls://, ws:// or wss://", WithoutLogin(url))
		}
	}
	return nil
}

// CheckJoin returns an error unless address is one that a worker can join: the HOST:PORT of a hub,
// or the URL of a NATS server.
func CheckJoin(address string) error {
	if strings.Contains(address, "://") {
		return CheckURL(address)
	}
	return CheckListen(address)
}

// Loopback reports whether the address HOST:PORT can be reached only from this machine.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && (host == "localhost" || net.ParseIP(host).IsLoopback())
}

// onLoopback reports whether all servers in a list are on this machine. The servers are separated
// by commas. Each is a URL or HOST:PORT.
func onLoopback(servers string) bool {
	for s := range strings.SplitSeq(WithoutLogin(servers), ",") {
		if _, rest, ok := strings.Cut(s, "://"); ok {
			s = strings.TrimSuffix(rest, "/")
		}
		if _, _, err := net.SplitHostPort(s); err != nil { // the address has no port
			s = net.JoinHostPort(strings.Trim(s, "[]"), "0")
		}
		if !Loopback(s) {
			return false
		}
	}
	return true
}

// Reachable returns the HOST:PORT at which other machines reach a server that listens on address.
// If address stands for all addresses of the machine, as 0.0.0.0 does, HOST is the first address of
// the machine that is not loopback. If there is none, HOST is the machine's name.
func Reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || !net.ParseIP(host).IsUnspecified() {
		return address
	}
	addresses, _ := net.InterfaceAddrs() // if this fails, the list is empty, and the result contains the machine's name
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			return net.JoinHostPort(n.IP.String(), port)
		}
	}
	if name, err := os.Hostname(); err == nil {
		return net.JoinHostPort(name, port)
	}
	return address
}

// logins matches the user and the password in the URLs of servers.
var logins = regexp.MustCompile(`[^/,]*@`)

// WithoutLogin removes the users and passwords from the address of a server, so that a message can
// show it. It also accepts several addresses, separated by commas.
func WithoutLogin(address string) string { return logins.ReplaceAllString(address, "") }
