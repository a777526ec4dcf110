package serve

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"dojo.example/data/rundir"
	"dojo.example/games"
	"dojo.example/internal/certificate"
	"dojo.example/internal/certificate/certtest"
)

// The headers of a trusted proxy name the host and the scheme that the browser used. The host must
// be one of the server. The same headers of others change nothing.
func TestForwarded(t *testing.T) {
	s := newServer(t)
	s.hosts = []string{"dojo.lan"}
	s.trusted = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::1/128")}
	const proxy, other = "10.1.2.3:999", "192.0.2.9:999"
	for _, c := range []struct {
		name   string
		header []string
		status int
	}{
		{"no headers", []string{"Peer", proxy}, 200},
		{"an allowed name", []string{"Peer", proxy, "X-Forwarded-Host", "dojo.lan"}, 200},
		{"an allowed name with a port", []string{"Peer", proxy, "X-Forwarded-Host", "Dojo.lan:8443"}, 200},
		{"a name that was made to lead to the proxy", []string{"Peer", proxy, "X-Forwarded-Host", "evil.example"}, 403},
		{"the same with its origin", []string{"Peer", proxy, "X-Forwarded-Host", "evil.example", "Origin", "http://evil.example"}, 403},
		{"the same from an IPv6 proxy", []string{"Peer", "[fd00::1]:999", "X-Forwarded-Host", "evil.example"}, 403},
		{"the same from a mapped address", []string{"Peer", "[::ffff:10.1.2.3]:999", "X-Forwarded-Host", "evil.example"}, 403},
		{"an address of another machine", []string{"Peer", proxy, "X-Forwarded-Host", "192.0.2.1"}, 403},
		{"two names", []string{"Peer", proxy, "X-Forwarded-Host", "dojo.lan, evil.example"}, 400},
		{"two headers", []string{"Peer", proxy, "X-Forwarded-Host", "dojo.lan", "X-Forwarded-Host", "dojo.lan"}, 400},
		{"two schemes", []string{"Peer", proxy, "X-Forwarded-Proto", "https,http"}, 400},
		{"another scheme", []string{"Peer", proxy, "X-Forwarded-Proto", "gopher"}, 400},
		{"the origin of the proxy", []string{"Peer", proxy, "X-Forwarded-Host", "dojo.lan", "X-Forwarded-Proto", "https", "Origin", "https://dojo.lan"}, 200},
		{"the proxy's unencrypted page", []string{"Peer", proxy, "X-Forwarded-Host", "dojo.lan", "X-Forwarded-Proto", "HTTPS", "Origin", "http://dojo.lan"}, 403},
		{"an address that the pages have on this machine", []string{"Peer", proxy, "X-Forwarded-Host", "localhost:80", "X-Forwarded-Proto", "http", "Origin", "http://localhost:80"}, 200},
		{"another origin", []string{"Peer", proxy, "X-Forwarded-Host", "dojo.lan", "X-Forwarded-Proto", "https", "Origin", "https://evil.example"}, 403},

		{"from anyone, an allowed name", []string{"Peer", other, "Host", "evil.example", "X-Forwarded-Host", "dojo.lan"}, 403},
		{"from anyone, another name", []string{"Peer", other, "X-Forwarded-Host", "evil.example"}, 200},
		{"from anyone, two names", []string{"Peer", other, "X-Forwarded-Host", "a,b"}, 200},
		{"from anyone, a scheme", []string{"Peer", other, "X-Forwarded-Proto", "https", "Origin", "http://127.0.0.1:7531"}, 200},
		{"from anyone who claims to be a proxy", []string{"Peer", other, "Host", "evil.example", "X-Forwarded-For", "10.1.2.3", "X-Forwarded-Host", "dojo.lan"}, 403},
		{"from an unknown peer", []string{"Peer", "@", "Host", "evil.example", "X-Forwarded-Host", "dojo.lan"}, 403},
	} {
		w := s.test(t, "/api/runs", "", c.header...)
		if w.Code != c.status {
			t.Errorf("%s: status %d, want %d: %s", c.name, w.Code, c.status, w.Body)
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", c.name, w.Header())
		}
	}
}

// With a base path, the server answers only requests below it, and no request can leave it.
func TestBasePath(t *testing.T) {
	for _, base := range []string{"/dojo", "/a/b.c"} {
		s, err := New(Options{Runs: []rundir.Folder{smallRun(t)}, BasePath: base})
		if err != nil {
			t.Fatal(err)
		}
		s.setAddress(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7531})
		if want := "http://127.0.0.1:7531" + base + "/"; s.url() != want {
			t.Errorf("the address is %s, want %s", s.url(), want)
		}
		for _, path := range []string{"/", "/app.js", "/api/runs", "/api/runs/small/games/selfplay/0/0"} {
			if w := s.test(t, base+path, ""); w.Code != 200 {
				t.Errorf("%s%s: status %d: %s", base, path, w.Code, w.Body)
			}
			if w := s.test(t, base+path, "", "Host", "evil.example"); w.Code != 403 {
				t.Errorf("%s%s for another host: status %d", base, path, w.Code)
			}
			if w := s.test(t, base+path, "", "Origin", "http://evil.example"); (w.Code == 200) == strings.HasPrefix(path, "/api") {
				t.Errorf("%s%s for another origin: status %d", base, path, w.Code)
			}
			for _, before := range []string{"", base + "x", "/%2e%2e" + base, strings.ToUpper(base), base + base, "/%64ojo", base + "%2f", "/x/.." + base} {
				if w := s.test(t, before+path, ""); w.Code == 200 {
					t.Errorf("%s%s: status 200", before, path)
				}
			}
		}
		if w := s.test(t, base+"/api/start", `{"game":"tictactoe"}`); w.Code != 200 {
			t.Errorf("a question: status %d: %s", w.Code, w.Body)
		}
		for from, to := range map[string]string{base: base + "/", base + "//app.js": base + "/app.js", base + "//evil.example/..": base + "/", base + "/../etc": ""} {
			w := s.test(t, from, "")
			if at := w.Header().Get("Location"); w.Code/100 != 3 || to != "" && at != to || strings.HasPrefix(at, "//") {
				t.Errorf("%s: status %d, to %s, want %s", from, w.Code, at, to)
			}
		}
	}
}

// A token that the user named is needed even on loopback, and is not printed.
func TestGivenToken(t *testing.T) {
	s, err := New(Options{Runs: []rundir.Folder{smallRun(t)}, Token: "stable_1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, ip := range []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4zero} {
		s.setAddress(&net.TCPAddr{IP: ip, Port: 7531})
		if want := "http://127.0.0.1:7531/"; s.url() != want {
			t.Errorf("the address is %s, want %s", s.url(), want)
		}
		for token, status := range map[string]int{"": 401, "Bearer stable": 401, "Bearer stable_1": 200} {
			if w := s.test(t, "/api/start", `{"game":"tictactoe"}`, "Authorization", token); w.Code != status {
				t.Errorf("with %q: status %d, want %d", token, w.Code, status)
			}
		}
		want := 200
		if ip.IsLoopback() {
			want = 403
		}
		if w := s.test(t, "/api/runs", "", "Host", "192.0.2.1:7531"); w.Code != want {
			t.Errorf("on %v, asked by address: status %d, want %d", ip, w.Code, want)
		}
	}
}

// Monitoring asks for the same paths whether there is a base path or not, and under any host name.
func TestHealth(t *testing.T) {
	healthy := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "at "+r.URL.Path) })
	for _, base := range []string{"", "/dojo"} {
		s, err := New(Options{Runs: []rundir.Folder{smallRun(t)}, BasePath: base, Health: healthy})
		if err != nil {
			t.Fatal(err)
		}
		s.setAddress(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7531})
		for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
			if w := s.test(t, path, "", "Host", "trainer:7531"); w.Code != 200 || w.Body.String() != "at "+path {
				t.Errorf("%s: status %d: %s", path, w.Code, w.Body)
			}
		}
		if w := s.test(t, base+"/", ""); w.Code != 200 {
			t.Errorf("%s/: status %d", base, w.Code)
		}
	}
}

func TestFormsOfOptions(t *testing.T) {
	for path, good := range map[string]bool{
		"": true, "/dojo": true, "/a/b-c_d.e~f": true,
		"/": false, "dojo": false, "/dojo/": false, "//dojo": false, "/a//b": false, "/..": false, "/a/../b": false, "/.": false,
		"/{x}": false, "/a b": false, "/a?b": false, "/a#b": false, "/%61": false, "http://dojo.lan/a": false, "/a\n": false,
	} {
		if err := CheckBasePath(path); (err == nil) != good {
			t.Errorf("base path %q: %v", path, err)
		}
	}
	for token, good := range map[string]bool{"": true, "aZ_09": true, "a-b": false, "a b": false, "ä": false, "a\n": false} {
		if err := CheckToken(token); (err == nil) != good || err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("token %q: %v", token, err)
		}
	}
	for text, want := range map[string]string{
		"10.0.0.0/8": "10.0.0.0/8", "192.0.2.1": "192.0.2.1/32", "fd00::1": "fd00::1/128", "::/0": "::/0",
		"": "", "proxy": "", "10.0.0.0/33": "", "fe80::1%eth0": "", "::ffff:10.0.0.1": "", "10.0.0.1:80": "",
	} {
		got, err := ParseProxy(text)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("proxy %q: %v, %v", text, got, err)
		}
	}
}

// trusting returns a client that trusts a certificate and follows no redirects.
func trusting(t testing.TB, files *certtest.Pair) *http.Client {
	t.Helper()
	config, err := certificate.Client(files.Certificate, "", "", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: config}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// searchable adds a model to the server whose searches do not end early.
func searchable(t testing.TB, s *Server) {
	t.Helper()
	game, err := games.ByName("onitama")
	if err != nil {
		t.Fatal(err)
	}
	s.models = append(s.models, s.inBox(untrained(game.Spec)))
}

// firstLine starts a search of 20 seconds, and hangs up after the first line of the answer. It
// checks that the line arrives before the search ends, and that the search ends when the client has
// hung up. It returns the headers of the answer.
func firstLine(t *testing.T, s *Server, client *http.Client, url string, header ...string) http.Header {
	t.Helper()
	body := `{"game":"onitama","position":"bbBbb/...../...../...../wwWww 0 5,4 8,10 2 0","time_ms":20000}`
	answer := send(t, client, "POST", url+"api/analyse", body, header...)
	line, err := bufio.NewReader(answer.Body).ReadString('\n')
	if err != nil || answer.StatusCode != 200 || len(s.searches) != 1 {
		t.Errorf("%s: status %d, %d searches run when the first line arrives: %q, %v", url, answer.StatusCode, len(s.searches), line, err)
	}
	_ = answer.Body.Close() // hangs up
	client.CloseIdleConnections()
	s.quiet(t)
	return answer.Header
}

// With a certificate, the server encrypts, uses the new certificate after the files were replaced,
// and still sends each line of an analysis when it is written.
func TestServeTLS(t *testing.T) {
	authority, dir := certtest.Make(t, t.TempDir(), nil, nil), t.TempDir()
	files := certtest.Make(t, dir, authority, nil)
	config, err := certificate.Server(files.Certificate, files.Key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s, url := serving(t, listener(t), func(s *Server) {
		s.tls, s.base = config, "/dojo"
		searchable(t, s)
	}, smallRun(t))
	if !strings.HasPrefix(url, "https://127.0.0.1:") || !strings.HasSuffix(url, "/dojo/") {
		t.Fatalf("the address is %s", url)
	}
	client := trusting(t, authority)
	h := firstLine(t, s, client, url)
	if h.Get("X-Accel-Buffering") != "no" || h.Get("Cache-Control") != "no-cache, no-transform" {
		t.Errorf("a proxy may collect the lines: %v", h)
	}
	for origin, want := range map[string]int{"": 200, strings.TrimSuffix(url, "/dojo/"): 200, "http" + strings.TrimSuffix(url[len("https"):], "/dojo/"): 403} {
		if status, _ := request(t, client, "GET", url+"api/runs", "", "Origin", origin); status != want {
			t.Errorf("origin %q: status %d, want %d", origin, status, want)
		}
	}
	if status, _ := request(t, client, "GET", "http"+url[len("https"):], ""); status != 400 {
		t.Errorf("without encryption: status %d", status)
	}
	serial := func() string {
		c, err := tls.Dial("tcp", strings.TrimSuffix(url[len("https://"):], "/dojo/"), client.Transport.(*http.Transport).TLSClientConfig)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	certtest.Make(t, dir, authority, func(c *x509.Certificate) { c.Subject.CommonName = "renewed" })
	for serial() != "renewed" { // the server checks the files once a second
	}
}

// send sends a request with the given headers, and returns the answer.
func send(t testing.TB, client *http.Client, method, url, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		switch {
		case header[i] == "Host":
			r.Host = header[i+1]
		case header[i+1] != "":
			r.Header.Set(header[i], header[i+1])
		}
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// request is like send, but returns only the status and the body of the answer.
func request(t testing.TB, client *http.Client, method, url, body string, header ...string) (status int, text string) {
	t.Helper()
	answer := send(t, client, method, url, body, header...)
	content, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close() // errors do not matter after reading
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(content)
}
