package serve

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dojo.example/data/rundir"
	"dojo.example/internal/certificate/certtest"
)

// An nginx is a running nginx whose configuration comes from deploy/nginx.conf.
type nginx struct {
	secure bool   // whether browsers use TLS
	base   string // Options.BasePath
	keeps  bool   // whether nginx passes the Host header on, besides X-Forwarded-Host

	plain, address string // addresses of the two servers in the configuration
}

// scheme returns how browsers reach nginx.
func (n *nginx) scheme() string {
	if n.secure {
		return "https"
	}
	return "http"
}

// config returns the configuration of nginx for a server of dojo at the given address.
func (n *nginx) config(t *testing.T, dir, upstream string, files *certtest.Pair) string {
	t.Helper()
	deployed, err := os.ReadFile("../deploy/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	text := string(deployed)
	change := func(old, changed string) {
		t.Helper()
		if !strings.Contains(text, old) {
			t.Fatalf("deploy/nginx.conf does not contain %q", old)
		}
		text = strings.ReplaceAll(text, old, changed)
	}
	change("    listen [::]:80;\n", "")
	change("    listen [::]:443 ssl;\n", "")
	change("listen 80;", "listen "+n.plain+";")
	change("127.0.0.1:7531", upstream)
	change("/etc/nginx/cert.pem", files.Certificate)
	change("/etc/nginx/key.pem", files.Key)
	if n.secure {
		change("listen 443 ssl;", "listen "+n.address+" ssl;")
	} else {
		change("listen 443 ssl;", "listen "+n.address+";")
	}
	if n.base == "" {
		change("location / {", "location ~ ^/(metrics|healthz|readyz)$ {") // see docs/PROXY.md
		change("location /dojo/ {", "location / {")
	}
	if !n.keeps {
		change("proxy_set_header Host $http_host;", "")
	}
	return fmt.Sprintf(`daemon off;
master_process off;
pid %[1]s/pid;
error_log stderr;
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	proxy_buffering on; # with room for the answer of a whole search
	proxy_buffer_size 1m;
	proxy_buffers 8 1m;
	proxy_busy_buffers_size 2m;
	postpone_output 1048576;
	ssl_buffer_size 1m;
%[2]s
}
`, dir, text)
}

// start starts a server of dojo, and nginx in front of it. Both end with the test.
func (n *nginx) start(t *testing.T, files *certtest.Pair, folder rundir.Folder) *Server {
	t.Helper()
	s, url := serving(t, listener(t), func(s *Server) {
		s.base, s.hosts, s.token, s.secret = n.base, []string{"dojo.lan"}, "stable_1", true
		s.trusted = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		s.health = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		searchable(t, s)
	}, folder)
	dir := t.TempDir()
	n.plain, n.address = freeAddress(t), freeAddress(t)
	path := filepath.Join(dir, "nginx.conf")
	write(t, path, []byte(n.config(t, dir, strings.TrimSuffix(url[len("http://"):], n.base+"/"), files)))
	var log bytes.Buffer
	cmd := exec.Command(nginxProgram(t), "-p", dir, "-c", path, "-e", "stderr")
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // fails harmlessly if nginx has ended
		<-ended
	})
	for {
		c, err := net.Dial("tcp", n.address)
		if err == nil {
			_ = c.Close()
			return s
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("nginx ended: %v\n%s", err, &log)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// nginxProgram returns the path of nginx.
func nginxProgram(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/nginx") // not in the PATH of every user
	}
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("%v; install the package nginx-light", err)
	}
	if err != nil {
		t.Skip("install the package nginx-light")
	}
	return program
}

// freeAddress returns a HOST:PORT that is not in use.
func freeAddress(t *testing.T) string {
	t.Helper()
	l := listener(t)
	defer l.Close()
	return l.Addr().String()
}

// TestNginx puts nginx with deploy/nginx.conf in front of the pages, with and without TLS, with and
// without a path, and with the name of the proxy in the Host header or only in X-Forwarded-Host.
func TestNginx(t *testing.T) {
	files, folder := certtest.Make(t, t.TempDir(), nil, nil), smallRun(t)
	client := trusting(t, files)
	for _, secure := range []bool{false, true} {
		for _, base := range []string{"", "/dojo"} {
			for _, keeps := range []bool{true, false} {
				n := &nginx{secure: secure, base: base, keeps: keeps}
				t.Run(fmt.Sprintf("%s%s,Host=%v", n.scheme(), base, keeps), func(t *testing.T) {
					s := n.start(t, files, folder)
					n.look(t, s, client)
				})
			}
		}
	}
}

// In Chromium, the pages work behind nginx with a path, and find their token.
func TestNginxInTheBrowser(t *testing.T) {
	if _, err := os.Stat("independent/node_modules"); err != nil {
		t.Skip("install Playwright with: npm install --prefix serve/independent --no-package-lock")
	}
	n := &nginx{secure: true, base: "/dojo"}
	n.start(t, certtest.Make(t, t.TempDir(), nil, nil), smallRun(t))
	_, port, _ := net.SplitHostPort(n.address)
	cmd := exec.Command("node", "proxied.mjs", "https://dojo.lan:"+port+"/dojo/#token=stable_1")
	cmd.Dir, cmd.Env, cmd.Stderr = "independent", append(os.Environ(), "CHROMIUM="+chromiumProgram(t)), os.Stderr
	if wrong, err := cmd.Output(); err != nil || strings.TrimSpace(string(wrong)) != "[]" {
		t.Errorf("in the browser: %s, %v", wrong, err)
	}
}

// look asks for the pages and the data through nginx.
func (n *nginx) look(t *testing.T, s *Server, client *http.Client) {
	root := n.scheme() + "://" + n.address
	url := root + n.base + "/"
	origin := n.scheme() + "://dojo.lan"
	other := map[string]string{"http": "https://dojo.lan", "https": "http://dojo.lan"}[n.scheme()]
	start := `{"game":"tictactoe"}`
	for _, c := range []struct {
		url, body string
		header    []string
		status    int
		contains  string
	}{
		{url, "", nil, 200, "<!doctype html>"},
		{url + "app.js", "", []string{"Origin", origin}, 200, ""},
		{url + "site.json", "", nil, 200, `"backend":"server"`},
		{url + "api/runs", "", []string{"Origin", origin}, 200, `"run":"small"`},
		{url + "api/start", start, []string{"Origin", origin}, 401, "token"},
		{url + "api/start", start, []string{"Origin", origin, "Authorization", "Bearer stable_1"}, 200, "........."},
		{url + "api/runs", "", []string{"Origin", "https://evil.example"}, 403, ""},
		{url + "api/runs", "", []string{"Origin", other}, 403, "--trusted-proxy"},
		{url + "api/runs", "", []string{"Host", "evil.example"}, 403, "host name"},
		{url + "api/runs", "", []string{"Host", "evil.example", "X-Forwarded-Host", "dojo.lan"}, 403, "host name"},
		{url + "api/start", `{"game":"` + strings.Repeat("x", MaxBody) + `"}`, nil, 413, ""},
		{root + "/metrics", "", nil, 404, "nginx"},
		{root + "/healthz", "", nil, 404, "nginx"},
		{root + "/readyz", "", nil, 404, "nginx"},
	} {
		method := "GET"
		if c.body != "" {
			method = "POST"
		}
		status, text := request(t, client, method, c.url, c.body, append([]string{"Host", "dojo.lan"}, c.header...)...)
		if status != c.status || !strings.Contains(text, c.contains) {
			t.Errorf("%s with %q: status %d, want %d with %q: %.200s", c.url, c.header, status, c.status, c.contains, text)
		}
	}
	if n.base != "" {
		answer := send(t, client, "GET", root+n.base, "", "Host", n.address)
		_ = answer.Body.Close() // only the headers matter
		if to := answer.Header.Get("Location"); answer.StatusCode/100 != 3 || to != url {
			t.Errorf("%s%s: status %d, to %q", root, n.base, answer.StatusCode, to)
		}
		if status, _ := request(t, client, "GET", root+"/api/runs", "", "Host", "dojo.lan"); status != 404 {
			t.Errorf("outside of the path: status %d", status)
		}
	}
	answer := send(t, client, "GET", "http://"+n.plain+n.base+"/?x=1", "", "Host", "dojo.lan")
	_ = answer.Body.Close() // only the headers matter
	if to := answer.Header.Get("Location"); answer.StatusCode != 308 || to != "https://dojo.lan"+n.base+"/?x=1" {
		t.Errorf("without TLS: status %d, to %q", answer.StatusCode, to)
	}
	firstLine(t, s, client, url, "Host", "dojo.lan", "Authorization", "Bearer stable_1")
}
