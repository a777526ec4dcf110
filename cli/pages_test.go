package cli

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dojo.example/internal/certificate"
	"dojo.example/internal/certificate/certtest"
)

// tokenFile writes a token into a file and returns its path.
func tokenFile(t *testing.T, token string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The flags for a proxy, a token and a certificate reach the server. The verb does not print a
// token that it read from a file.
func TestPageFlags(t *testing.T) {
	runs, files := filepath.Dir(trained(t)), certtest.Make(t, t.TempDir(), nil, nil)
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var stderr strings.Builder
	ended := make(chan int, 1)
	args := []string{
		"serve", runs, "--log-format", "screen", "--listen", "127.0.0.1:0", "--base-path", "/dojo", "--token-file", tokenFile(t, "secret"),
		"--trusted-proxy", "127.0.0.0/8,::1", "--host", "dojo.lan", "--tls-cert", files.Certificate, "--tls-key", files.Key,
	}
	go func() { ended <- execute(ctx, args, strings.NewReader(""), in, &stderr) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(line)
	if !regexp.MustCompile(`^https://127\.0\.0\.1:\d+/dojo/$`).MatchString(url) {
		t.Errorf("the address is %q", url)
	}
	config, err := certificate.Client(files.Certificate, "", "", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	defer client.CloseIdleConnections()
	for _, c := range []struct {
		host, token string
		status      int
	}{{"dojo.lan", "secret", 200}, {"dojo.lan", "guess", 401}, {"evil.example", "secret", 403}} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", url+"api/start", strings.NewReader(`{"game":"tictactoe"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "X-Forwarded-Host": {c.host}, "Authorization": {"Bearer " + c.token}}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close() // only the status matters
		if answer.StatusCode != c.status {
			t.Errorf("%+v: status %d", c, answer.StatusCode)
		}
	}
	stop()
	if status := <-ended; status != exitDone || strings.Contains(stderr.String(), "secret") || !strings.Contains(stderr.String(), "append #token= and the token in ") {
		t.Errorf("status %d, stderr %q", status, stderr.String())
	}
}

// A wrong value of a flag is an error of one line, before anything is written. The error does not
// contain the token.
func TestPageFlagsRefuse(t *testing.T) {
	fresh, runs := filepath.Join(t.TempDir(), "run"), filepath.Dir(trained(t))
	files := certtest.Make(t, t.TempDir(), nil, func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = nil, nil })
	bad := tokenFile(t, "sec-ret")
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"serve --host http://dojo.lan", exitUsage, "--host: "},
		{"serve --base-path dojo", exitUsage, "such as /dojo"},
		{"serve --trusted-proxy 10.0.0.0/8,nginx", exitUsage, `--trusted-proxy: "nginx" is not`},
		{"serve --tls-cert " + files.Certificate, exitUsage, "--tls-key"},
		{"serve " + runs + " --listen 127.0.0.1:0 --tls-cert " + files.Certificate + " --tls-key " + files.Key, exitFailed, "has only a common name"},
		{"train tictactoe --listen 127.0.0.1:0 --tls-cert " + files.Certificate + " --tls-key " + files.Key, exitFailed, "has only a common name"},
		{"serve --token-file " + bad + "s", exitFailed, "token: "},
		{"serve --token-file " + bad, exitFailed, "only letters"},
		{"train tictactoe --serve --serve-token-file " + bad, exitFailed, "only letters"},
		{"train tictactoe --base-path /dojo", exitUsage, "--base-path needs --serve"},
		{"train tictactoe --serve-token-file " + bad, exitUsage, "--serve-token-file needs --serve"},
	} {
		args := strings.Fields(c.args)
		if args[0] == "train" {
			args = append(args, "--run", fresh)
		}
		if r := dojo(t, "", args...); r.status != c.status || !strings.Contains(r.stderr, c.says) || strings.Count(r.stderr, "\n") != 1 || strings.Contains(r.stderr, "sec-ret") {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
	if _, err := os.Stat(fresh); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a command with a wrong flag began a run: %v", err)
	}
}
