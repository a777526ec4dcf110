package serve

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"dojo.example/internal/bounded"
)

// CheckHost returns an error unless host is a name or an IP address without scheme, port or
// path, as Options.Hosts has them.
func CheckHost(host string) error {
	u, err := url.Parse("http://" + host)
	if ip := net.ParseIP(host); ip == nil && (err != nil || host == "" || u.Hostname() != host) {
		return fmt.Errorf("%s is not a host name: write it without http://, port and path, such as dojo.lan", bounded.Quote(host))
	}
	return nil
}

// checkOrigin returns an error for a request that a page of another site made. It recognises
// such a page by its host name, which is not this server's (DNS rebinding), or by its origin. The
// files of the pages are public and need no check of the origin: a browser sends an Origin
// with each module script, and behind a proxy the origin differs from the Host header.
func (s *Server) checkOrigin(r *http.Request) error {
	name := hostname(r.Host)
	if !s.isOwnHost(name) {
		return fmt.Errorf("this server does not answer to the host name %s; start it with --host NAME to add a name", bounded.Quote(name))
	}
	if isFile(r) {
		return nil
	}
	origin, err := url.Parse(r.Header.Get("Origin"))
	if err == nil && s.isNamed(strings.ToLower(origin.Hostname())) {
		return nil // a page of this server behind a proxy, which may change the Host header
	}
	strict := *r
	strict.Method = http.MethodPost // CrossOriginProtection lets every GET pass
	if err := new(http.CrossOriginProtection).Check(&strict); err != nil {
		return fmt.Errorf("%w; if a proxy of this server has another name, start the server with --host NAME", err)
	}
	return nil
}

// isFile reports whether a request asks for a file of the pages.
func isFile(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && !strings.HasPrefix(r.URL.Path, "/api/")
}

// hostname returns the value of a Host header without the port, in lower case.
func hostname(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// isOwnHost reports whether the host name of a request may be this server's. The port does not
// matter: a tunnel or a container gives the server another one. Loopback addresses and the names
// of localhost (RFC 6761) always lead to the browser's own machine, so that no page of another
// site can have them. A server with a token also answers to any IP address and to the name of
// its machine.
func (s *Server) isOwnHost(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || s.isNamed(name) {
		return true
	}
	if ip := net.ParseIP(name); ip != nil {
		return s.token != "" || ip.IsLoopback()
	}
	machine, err := os.Hostname()
	return s.token != "" && err == nil && strings.EqualFold(name, machine)
}

// isNamed reports whether a host name in lower case is one of Options.Hosts.
func (s *Server) isNamed(name string) bool {
	return name != "" && slices.ContainsFunc(s.hosts, func(h string) bool { return hostname(h) == name })
}
