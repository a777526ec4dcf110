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

// SplitAddress splits HOST:PORT.
func SplitAddress(listen string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("%q is not of the form HOST:PORT", listen)
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("%q: %s is no port", listen, text)
	}
	return host, int(n), nil
}

// CheckListen returns an error unless an address has the form HOST:PORT.
func CheckListen(listen string) error {
	_, _, err := SplitAddress(listen)
	return err
}

// CheckURL returns an error unless an address is one of NATS servers: URLs, with commas between
// them, whose scheme may be left out.
func CheckURL(servers string) error {
	for url := range strings.SplitSeq(servers, ",") {
		scheme, _, ok := strings.Cut(url, "://")
		if ok && !slices.Contains([]string{"nats", "tls", "ws", "wss"}, scheme) {
			return fmt.Errorf("%q is not the URL of a NATS server, which begins with nats://, tls://, ws:// or wss://", WithoutLogin(url))
		}
	}
	return nil
}

// CheckJoin returns an error unless a worker can join at an address: HOST:PORT of a hub, or the URL of a
// NATS server.
func CheckJoin(address string) error {
	if strings.Contains(address, "://") {
		return CheckURL(address)
	}
	return CheckListen(address)
}

// Loopback reports whether the address HOST:PORT can be reached from this machine only.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && (host == "localhost" || net.ParseIP(host).IsLoopback())
}

// onLoopback reports whether all of some servers' addresses, HOST:PORT or URLs with commas between
// them, are on this machine.
func onLoopback(servers string) bool {
	for s := range strings.SplitSeq(WithoutLogin(servers), ",") {
		if _, rest, ok := strings.Cut(s, "://"); ok {
			s = strings.TrimSuffix(rest, "/")
		}
		if _, _, err := net.SplitHostPort(s); err != nil { // the port is left out
			s = net.JoinHostPort(strings.Trim(s, "[]"), "0")
		}
		if !Loopback(s) {
			return false
		}
	}
	return true
}

// Reachable returns the HOST:PORT by which other machines reach a server that listens on
// address. If that stands for all of the machine's addresses, such as 0.0.0.0, the host is the
// first one that is not loopback, or the machine's name.
func Reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || !net.ParseIP(host).IsUnspecified() {
		return address
	}
	addresses, _ := net.InterfaceAddrs() // without them the name has to do
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

// logins matches the user and the password in URLs of servers.
var logins = regexp.MustCompile(`[^/,]*@`)

// WithoutLogin returns a server's address, or several with commas between them, without the
// users and passwords: for messages.
func WithoutLogin(address string) string { return logins.ReplaceAllString(address, "") }
