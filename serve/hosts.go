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

// CheckHost returns an error unless host is only a host name or an IP address, without scheme, port
// or path. The elements of Options.Hosts must have this form.
func CheckHost(host string) error {
	u, err := url.Parse("http://" + host)
	if ip := net.ParseIP(host); ip == nil && (err != nil || host == "" || u.Hostname() != host) {
		return fmt.Errorf("%s is not a host name: write it without http://, port and path, such as dojo.lan", bounded.Quote(host))
	}
	return nil
}

// checkOrigin returns an error if a page of another site made the request. Such a request has
// either a foreign Origin or a Host that is not a name of this server (DNS rebinding). For page
// files, checkOrigin does not check the Origin. They are public, and a check would break the pages
// behind a proxy: there, the Origin that browsers send with each module script differs from the
// Host header. scheme is the scheme that the browser used, or "" if it is unknown.
func (s *Server) checkOrigin(r *http.Request, scheme string) error {
	name := hostname(r.Host)
	if !s.isOwnHost(name) {
		return fmt.Errorf("the host name %s does not belong to this server; to allow another name, start the server with --host NAME", bounded.Quote(name))
	}
	if isFile(r) {
		return nil
	}
	origin, err := url.Parse(r.Header.Get("Origin"))
	if err == nil && origin.Scheme != "" && scheme != "" && origin.Scheme != scheme {
		return fmt.Errorf("the page that asks uses %s, but the browser reached this server with %s; if the server is behind a proxy, start the server with --trusted-proxy ADDRESS", bounded.Visible(origin.Scheme), scheme)
	}
	if err == nil && s.isNamed(strings.ToLower(origin.Hostname())) {
		return nil // allowed, because a proxy may have changed the Host header
	}
	strict := *r
	strict.Method = http.MethodPost // otherwise CrossOriginProtection would accept every GET
	if err := new(http.CrossOriginProtection).Check(&strict); err != nil {
		return fmt.Errorf("%w; if the server is behind a proxy with another name, start the server with --host NAME", err)
	}
	return nil
}

// isFile reports whether a request asks for a page file.
func isFile(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && !strings.HasPrefix(r.URL.Path, "/api/")
}

// hostname returns the value of a Host header in lower case and without the port.
func hostname(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// isOwnHost reports whether name, the host name of a request, can be a name of this server. It
// ignores the port, because a tunnel or a container can change it. It accepts loopback addresses
// and the names of localhost (RFC 6761): they always mean the browser's own machine, so no other
// site can use them. If other machines can reach the server, isOwnHost also accepts every IP
// address and the name of the server's machine.
func (s *Server) isOwnHost(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || s.isNamed(name) {
		return true
	}
	if ip := net.ParseIP(name); ip != nil {
		return s.open || ip.IsLoopback()
	}
	machine, err := os.Hostname()
	return s.open && err == nil && strings.EqualFold(name, machine)
}

// isNamed reports whether name, written in lower case, is one of Options.Hosts.
func (s *Server) isNamed(name string) bool {
	return name != "" && slices.ContainsFunc(s.hosts, func(h string) bool { return hostname(h) == name })
}
