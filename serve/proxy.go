package serve

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"

	"dojo.example/internal/bounded"
)

// basePaths matches the values of Options.BasePath. It excludes characters that have a special
// meaning in a URL or in a pattern of http.ServeMux.
var basePaths = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

// CheckBasePath returns an error unless p has the form of Options.BasePath.
func CheckBasePath(p string) error {
	if !basePaths.MatchString(p) || p != "" && path.Clean(p) != p {
		return fmt.Errorf("%s is not a base path: begin with / and do not end with it, such as /dojo", bounded.Quote(p))
	}
	return nil
}

// tokens matches the values of Options.Token. The pages find a token in their address with the same
// pattern.
var tokens = regexp.MustCompile(`^\w*$`)

// CheckToken returns an error unless token has the form of Options.Token. The error does not
// contain the token.
func CheckToken(token string) error {
	if !tokens.MatchString(token) {
		return errors.New("a token of the pages may contain only letters from a to z, digits and _")
	}
	return nil
}

// ParseProxy returns the element of Options.Trusted for an IP address or a range in CIDR notation.
func ParseProxy(text string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		if address, err := netip.ParseAddr(text); err == nil && address.Zone() == "" {
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
	}
	if !prefix.IsValid() || prefix.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%s is not an IP address or a range of addresses, such as 10.0.0.0/8", bounded.Quote(text))
	}
	return prefix, nil
}

// forwarded returns a request with the host name that the browser asked for, and the scheme that
// the browser used: "http", "https", or "" if unknown. If a trusted proxy passed the request on,
// its headers name both. The headers of all other senders have no effect.
func (s *Server) forwarded(r *http.Request) (as *http.Request, scheme string, err error) {
	if r.TLS != nil {
		scheme = "https"
	}
	if !s.trusts(r.RemoteAddr) {
		return r, scheme, nil
	}
	host, err := single(r.Header, "X-Forwarded-Host")
	if err != nil {
		return nil, "", err
	}
	given, err := single(r.Header, "X-Forwarded-Proto")
	if err != nil {
		return nil, "", err
	}
	if given != "" {
		scheme = strings.ToLower(given)
		if scheme != "http" && scheme != "https" {
			return nil, "", fmt.Errorf("the proxy sent X-Forwarded-Proto: %s; it must be http or https", bounded.Quote(given))
		}
	}
	as = r.WithContext(r.Context()) // a copy
	as.Host = cmp.Or(host, r.Host)
	return as, scheme, nil
}

// single returns the value of a header that a proxy sets, or "". More than one value is an error:
// then the client may have sent one of them.
func single(h http.Header, name string) (string, error) {
	values := h.Values(name)
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 || strings.Contains(values[0], ",") {
		return "", fmt.Errorf("the proxy sent several values of %s; it must replace the value that it receives", name)
	}
	return values[0], nil
}

// trusts reports whether address, an IP address with a port, is the address of a trusted proxy.
func (s *Server) trusts(address string) bool {
	peer, err := netip.ParseAddrPort(address)
	ip := peer.Addr().Unmap().WithZone("")
	return err == nil && slices.ContainsFunc(s.trusted, func(p netip.Prefix) bool { return p.Contains(ip) })
}
