package serve

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/train"
)

// small shrinks the tic-tac-toe preset to a run of about one second.
var small = []string{
	"network.channels=16", "network.blocks=1", "mcts.simulations=8", "selfplay.games=16", "selfplay.shard_games=8",
	"train.generations=2", "train.optimiser.batch=32", "train.learning_rate=0.004", "train.final_learning_rate=0.004", "gate.games=4", "gate.simulations=4",
}

type quiet struct{}

func (quiet) Stage(int, string, int) func(int, string) { return func(int, string) {} }
func (quiet) Generation(train.Metrics)                 {}

// trained trains the run that all tests share, and does so only once.
var trained = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "dojo-serve"); err != nil {
		return dir, err
	}
	f := rundir.Folder(filepath.Join(dir, "small"))
	c, err := configs.Load("tictactoe", small...)
	if err != nil {
		return dir, err
	}
	frozen := configs.Frozen{Program: "test", Name: "small", Config: c}
	text, err := frozen.Text()
	if err != nil {
		return dir, err
	}
	if err := os.Mkdir(string(f), 0o755); err != nil {
		return dir, err
	}
	if err := f.Freeze(text); err != nil {
		return dir, err
	}
	opt, err := frozen.Options(f)
	if err != nil {
		return dir, err
	}
	opt.Workers, opt.Report = 1, quiet{}
	r, err := train.Open(opt)
	if err != nil {
		return dir, err
	}
	if err := r.Loop(context.Background()); err != nil {
		return dir, err
	}
	return dir, r.Close()
})

func TestMain(m *testing.M) {
	status := m.Run()
	if dir, err := trained(); err == nil {
		_ = os.RemoveAll(dir) // errors do not matter after the tests
	}
	os.Exit(status)
}

// smallRun returns a copy of the trained run. The test may change the copy.
func smallRun(t testing.TB) rundir.Folder {
	t.Helper()
	dir, err := trained()
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "small")
	if err := os.CopyFS(to, os.DirFS(filepath.Join(dir, "small"))); err != nil {
		t.Fatal(err)
	}
	return rundir.Folder(to)
}

// commitAgain recomputes the hashes of a generation whose files the test has changed, as if the run
// itself had written these files.
func commitAgain(t testing.TB, f rundir.Folder, generation int) {
	t.Helper()
	hash, err := f.List(generation)
	if err != nil {
		t.Fatal(err)
	}
	record, err := os.ReadFile(f.Record(generation))
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(string(record), `"files":"`)
	_, before, _ = strings.Cut(before, `,`) // the record without its seal (hash)
	if _, err := f.Commit(generation, []byte("{"+before+`"files":"`+hash+after[len(hash):])); err != nil {
		t.Fatal(err)
	}
}

// newServer returns a server of runs. Tests call its handler directly, as if it listened on
// 127.0.0.1:7531.
func newServer(t testing.TB, folders ...rundir.Folder) *Server {
	t.Helper()
	s, err := New(Options{Runs: folders})
	if err != nil {
		t.Fatal(err)
	}
	s.setAddress(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7531})
	return s
}

// test sends a request to the server: a GET if body is empty, otherwise a POST.
func (s *Server) test(t testing.TB, path, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r := httptest.NewRequest(method, "http://127.0.0.1:7531"+path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		switch header[i] {
		case "Host":
			r.Host = header[i+1]
		case "Peer":
			r.RemoteAddr = header[i+1]
		default:
			r.Header.Add(header[i], header[i+1])
		}
	}
	if body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, r)
	return w
}

// get sends a request and decodes the answer, which must have status 200.
func get[T any](t testing.TB, s *Server, path, body string) (v T) {
	t.Helper()
	w := s.test(t, path, body)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: status %d, %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s: %v in %s", path, err, w.Body)
	}
	return v
}

// A request for data must name the server as its host and come from the server's own pages. It is
// still accepted if a tunnel, a container or a proxy has changed the port or the host name.
func TestGuard(t *testing.T) {
	s := newServer(t)
	s.hosts = []string{"Dojo.lan", "192.0.2.7"}
	for _, c := range []struct {
		name   string
		header []string
		status int
	}{
		{"its address", nil, 200},
		{"localhost", []string{"Host", "localhost:7531"}, 200},
		{"IPv6", []string{"Host", "[::1]:7531"}, 200},
		{"ssh -L 8888:localhost:7531", []string{"Host", "localhost:8888"}, 200},
		{"docker -p 8001:7531", []string{"Host", "127.0.0.1:8001", "Origin", "http://127.0.0.1:8001"}, 200},
		{"kubectl port-forward 80:7531", []string{"Host", "127.0.0.1"}, 200},
		{"another loopback address", []string{"Host", "127.0.0.2:7531"}, 200},
		{"a name of localhost", []string{"Host", "Dojo.Localhost.:9000"}, 200},
		{"a name that was made to lead here", []string{"Host", "evil.example:7531"}, 403},
		{"a name that ends like localhost", []string{"Host", "evillocalhost"}, 403},
		{"an address of another machine", []string{"Host", "192.0.2.1:7531"}, 403},
		{"no host", []string{"Host", ""}, 403},
		{"a proxy that passes the host on", []string{"Host", "dojo.lan", "Origin", "http://dojo.lan"}, 200},
		{"an address that was named", []string{"Host", "192.0.2.7:8080"}, 200},
		{"a proxy that sets its own host", []string{"Origin", "http://dojo.lan:8080"}, 200},
		{"a proxy with TLS that sets its own host", []string{"Origin", "https://dojo.lan", "Sec-Fetch-Site", "same-origin"}, 200},
		{"its own origin", []string{"Origin", "http://127.0.0.1:7531"}, 200},
		{"another origin", []string{"Origin", "https://evil.example"}, 403},
		{"another port's origin", []string{"Origin", "http://127.0.0.1:80"}, 403},
		{"a file's origin", []string{"Origin", "null"}, 403},
		{"its own page", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"another site's page", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"}, 403},
		{"another site's link to the data", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 403},
	} {
		w := s.test(t, "/api/runs", "", c.header...)
		if w.Code != c.status {
			t.Errorf("%s: status %d, want %d: %s", c.name, w.Code, c.status, w.Body)
		}
		if w.Code == 403 && !strings.Contains(w.Body.String(), "--host NAME") {
			t.Errorf("%s: the error does not name the flag: %s", c.name, w.Body)
		}
	}
}

// Everybody may read the page files, but no request may use the host name of another site.
func TestGuardOfFiles(t *testing.T) {
	s := newServer(t)
	for _, c := range []struct {
		name   string
		header []string
		status int
	}{
		{"a module script behind a proxy", []string{"Origin", "http://dojo.lan"}, 200},
		{"another site's link", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 200},
		{"a name that was made to lead here", []string{"Host", "evil.example:7531"}, 403},
	} {
		for _, path := range []string{"/", "/app.js"} {
			if w := s.test(t, path, "", c.header...); w.Code != c.status {
				t.Errorf("%s, %s: status %d, want %d", c.name, path, w.Code, c.status)
			}
		}
	}
}

// A name for --host must be a bare host name.
func TestCheckHost(t *testing.T) {
	for host, good := range map[string]bool{
		"dojo.lan": true, "proxy": true, "192.0.2.7": true, "::1": true, "máy-chủ.vn": true,
		"": false, "dojo.lan:80": false, "http://dojo.lan": false, "dojo.lan/": false, "a b": false, "[::1]:80": false,
	} {
		if err := CheckHost(host); (err == nil) != good {
			t.Errorf("%q: %v", host, err)
		}
	}
}

// A request that makes the server compute must have a JSON body. If other machines can reach the
// server, the request also needs the token.
func TestToken(t *testing.T) {
	s := newServer(t)
	start := `{"game":"tictactoe"}`
	if w := s.test(t, "/api/start", start); w.Code != 200 {
		t.Errorf("on a loopback address: status %d: %s", w.Code, w.Body)
	}
	if w := s.test(t, "/api/start", start, "Content-Type", "text/plain"); w.Code != 401 {
		t.Errorf("as a form of another site would send it: status %d", w.Code)
	}
	s.setAddress(&net.TCPAddr{IP: net.IPv4zero, Port: 7531})
	if want := "http://127.0.0.1:7531/#token=" + s.token; s.url() != want || len(s.token) < 26 {
		t.Errorf("the address is %s", s.url())
	}
	for header, status := range map[string]int{"": 401, "Bearer ": 401, "Bearer " + s.token[1:]: 401, "Bearer " + s.token: 200} {
		if w := s.test(t, "/api/start", start, "Authorization", header); w.Code != status {
			t.Errorf("with %q: status %d, want %d", header, w.Code, status)
		}
	}
	if w := s.test(t, "/api/runs", "", "Host", "192.0.2.1:7531"); w.Code != 200 {
		t.Errorf("to look by address: status %d", w.Code)
	}
	if w := s.test(t, "/api/runs", "", "Host", "evil.example:7531"); w.Code != 403 {
		t.Errorf("to look by another name: status %d", w.Code)
	}
}

// The server serves only page files, no matter which path a request names.
func TestFiles(t *testing.T) {
	s := newServer(t)
	for path, kind := range map[string]string{"/": "text/html", "/app.js": "text/javascript", "/style.css": "text/css", "/site.json": "application/json"} {
		w := s.test(t, path, "")
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) || w.Body.Len() == 0 {
			t.Errorf("%s: status %d, %s", path, w.Code, w.Header().Get("Content-Type"))
		}
		csp := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe-inline") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", path, w.Header())
		}
	}
	for _, path := range []string{
		"/../serve.go", "/%2e%2e/serve.go", "/..%2fserve.go", "/dist/app.js", "/app.js/", "//etc/passwd", "/%00", "/etc/passwd", `/..\serve.go`,
		"/api/runs/..%2f..", "/api/runs/%2e%2e/games", "/api/runs//games", "/api/nothing", "/api/runs/small/games/selfplay/0/../../../run.yaml",
	} {
		for _, s.base = range []string{"/dojo", ""} {
			if w := s.test(t, s.base+path, ""); w.Code != 404 && w.Code/100 != 3 {
				t.Errorf("%s%s: status %d: %s", s.base, path, w.Code, w.Body)
			}
		}
	}
}

// Serve calls ready with an address that answers, and returns when its context is cancelled.
func TestServe(t *testing.T) {
	s, err := New(Options{Runs: []rundir.Folder{smallRun(t)}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	url := make(chan string, 1)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, func(u string) { url <- u }) }()
	r, err := http.Get(<-url + "api/runs")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil || !strings.Contains(string(text), `"run":"small"`) {
		t.Errorf("the runs are %s, %v", text, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if _, err := New(Options{Runs: []rundir.Folder{rundir.Folder(t.TempDir())}}); err == nil || !strings.Contains(err.Error(), "no run here") {
		t.Errorf("a folder without a run: %v", err)
	}
}
