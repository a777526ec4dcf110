package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/model"
	"dojo.example/play/analysis"
)

// TestPlay tests the requests that the page for playing games sends.
func TestPlay(t *testing.T) {
	s := newServer(t, smallRun(t))
	box, err := box.Load("oanquan")
	if err != nil {
		t.Fatal(err)
	}
	s.models = append(s.models, s.inBox(box))
	start := get[analysis.Position](t, s, "/api/start", `{"game":"tictactoe","seed":3}`)
	if start.Position != "........." || len(start.Legal) != 9 {
		t.Errorf("the game starts at %+v", start)
	}
	const usual = "10,5,5,5,5,5,10,5,5,5,5,5 0,0 2 11 0"
	if p := get[analysis.Position](t, s, "/api/start", `{"game":"oanquan","seed":3,"usual":true}`).Position; p != usual {
		t.Errorf("the usual start is %s, want %s", p, usual)
	}
	if p := get[analysis.Position](t, s, "/api/start", `{"game":"oanquan","seed":3}`).Position; p == usual {
		t.Errorf("the deal is the usual start %s", p)
	}
	positions := get[[]analysis.Position](t, s, "/api/follow", `{"game":"tictactoe","position":".........","moves":["b2","a1"]}`)
	if len(positions) != 3 || positions[2].Move != "a1" || positions[2].Position != "....x.o.." {
		t.Errorf("the positions are %+v", positions)
	}
	text := get[string](t, s, "/api/write", `{"game":"tictactoe","position":".........","moves":["b2","a1"]}`)
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	if again := get[[]analysis.Position](t, s, "/api/read", `{"game":"tictactoe","text":`+string(quoted)+`}`); len(again) != 3 || again[2].Position != "....x.o.." {
		t.Errorf("%q is read as %+v", text, again)
	}
	if rules := get[string](t, s, "/api/rules", `{"game":"onitama"}`); !strings.HasPrefix(rules, "#") {
		t.Errorf("the rules are %.40q", rules)
	}
	listed := get[[]Model](t, s, "/api/models", "")
	if len(listed) < 3 || listed[0].Game != "tictactoe" || listed[1].Game != "oanquan" || listed[len(listed)-1].ID != "small/000000" {
		t.Errorf("the models are %+v", listed)
	}
	for _, m := range listed {
		if want := m.Game == "oanquan"; m.Usual != want {
			t.Errorf("the model %+v is said to have a usual start besides deals: %v, want %v", m, m.Usual, want)
		}
	}
}

// The server rejects an invalid or too large request with a one-line error.
func TestPlayRefuses(t *testing.T) {
	s := newServer(t, smallRun(t))
	box := s.inBox(boxed(t, "patchwork"))
	s.models = append(s.models, box)
	dealt := get[analysis.Position](t, s, "/api/start", `{"game":"patchwork"}`).Position
	moves := `"a1"` + strings.Repeat(`,"a1"`, MaxMoves)
	for _, c := range []struct {
		path, body string
		status     int
		says       string
	}{
		{"/api/start", `{`, 400, "invalid request"},
		{"/api/start", `[]`, 400, "invalid request"},
		{"/api/start", `{"game":"tictactoe","seed":-1}`, 400, "seed"},
		{"/api/start", `{"game":"tictactoe","sede":1}`, 400, "sede"},
		{"/api/start", `{"game":"tictactoe"} {}`, 400, "more than one"},
		{"/api/start", `{"game":"../chess"}`, 400, "chess"},
		{"/api/rules", `{"game":"../../LICENSE"}`, 400, "LICENSE"},
		{"/api/follow", `{"game":"tictactoe","position":"x"}`, 400, "x"},
		{"/api/follow", `{"game":"tictactoe","position":".........","moves":["z9"]}`, 400, "z9"},
		{"/api/follow", `{"game":"tictactoe","position":".........","moves":[` + moves + `]}`, 400, "at most 1024"},
		{"/api/follow", `{"game":"` + strings.Repeat("x", MaxBody) + `"}`, 413, "too large"},
		{"/api/read", `{"game":"tictactoe","text":""}`, 400, "no position"},
		{"/api/analyse", `{"game":"tictactoe","position":"xxxoo...."}`, 400, "over"},
		{"/api/analyse", `{"game":"tictactoe","position":".........","simulations":-1}`, 400, "simulations"},
		{"/api/analyse", `{"game":"tictactoe","position":".........","simulations":100000000}`, 400, "simulations"},
		{"/api/analyse", `{"game":"tictactoe","position":".........","time_ms":3600000}`, 400, "time_ms"},
		{"/api/analyse", `{"game":"patchwork","model":"` + box.ID + `","position":"` + dealt + `","simulations":10000000}`, 400, "--memory"},
		{"/api/analyse", `{"game":"tictactoe","position":".........","model":"small/../000000"}`, 400, "not found"},
		{"/api/analyse", `{"game":"onitama","position":"bbBbb/...../...../...../wwWww 0 5,4 8,10 2 0"}`, 400, "no model of onitama"},
	} {
		w := s.test(t, c.path, c.body)
		var e struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != c.status || !strings.Contains(e.Error, c.says) || strings.Contains(e.Error, "\n") {
			t.Errorf("%s %.80s: status %d, %s", c.path, c.body, w.Code, w.Body)
		}
	}
}

// While a search runs, the server reports its progress, until the search's budget is used up.
func TestAnalyse(t *testing.T) {
	s := newServer(t, smallRun(t))
	for body, most := range map[string]int{
		`{"game":"tictactoe","position":".........","moves":["b2"],"simulations":200}`:     200,
		`{"game":"tictactoe","position":"....x....","time_ms":400,"model":"small/000001"}`: MaxSimulations,
	} {
		w := s.test(t, "/api/analyse", body)
		var last analysis.Growth
		lines := bufio.NewScanner(w.Body)
		for n := 0; lines.Scan(); n++ {
			before := last.Visits
			if err := json.Unmarshal(lines.Bytes(), &last); err != nil || last.Visits < before {
				t.Fatalf("line %d: %v in %s", n, err, lines.Text())
			}
		}
		if !last.Done || last.Position != "....x...." || len(last.Moves) != 8 || last.Visits == 0 || last.Visits > most || last.PerSecond <= 0 {
			t.Errorf("%s ends in %+v", body, last)
		}
	}
}

// In a game with points, the answer contains the expected lead of the player First, no matter who
// is to move.
func TestLead(t *testing.T) {
	s := newServer(t, smallRun(t))
	s.models = append(s.models, s.inBox(boxed(t, "oanquan")))
	for _, mover := range []int{1, 2} {
		w := s.test(t, "/api/analyse", fmt.Sprintf(`{"game":"oanquan","position":"0,1,1,1,1,1,10,1,1,1,1,1 0,50 %d 01 12","simulations":20}`, mover))
		var a analysis.Growth
		if err := json.Unmarshal(bytes.TrimSpace(w.Body.Bytes()), &a); err != nil || a.Lead == nil || *a.Lead < 20 {
			t.Errorf("player %d moves, First has 50 points more: %s", mover, w.Body)
		}
	}
}

// A search ends when its client hangs up. The server rejects a search if too many others are
// running.
func TestAnalyseEndsWithItsClient(t *testing.T) {
	// A search cannot solve the start of this game, and therefore does not end early.
	game, err := games.ByName("onitama")
	if err != nil {
		t.Fatal(err)
	}
	network := model.Network{Body: model.Residual{Channels: 32, PolicyPlanes: 2, ValuePlanes: 2, ValueFeatures: 8}}.For(game.Spec)
	slow := model.NewCheckpoint(model.Meta{Game: game.Name, SpecVersion: game.Version}, network, rand.New(rand.NewPCG(1, 1)))
	s, url := serving(t, listener(t), func(s *Server) { s.models = append(s.models, s.inBox(slow)) }, smallRun(t))
	body := `{"game":"onitama","position":"bbBbb/...../...../...../wwWww 0 5,4 8,10 2 0"}`
	var open []*http.Response
	for range MaxSearches {
		r, err := http.Post(url+"api/analyse", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, r)
	}
	r, err := http.Post(url+"api/analyse", "application/json", strings.NewReader(body))
	if err != nil || r.StatusCode != 503 {
		t.Errorf("one search too many: %v, %v", r, err)
	}
	_ = r.Body.Close()
	for _, r := range open {
		_ = r.Body.Close() // hangs up
	}
	s.quiet(t)
}

// quiet waits until no search is running.
func (s *Server) quiet(t *testing.T) {
	t.Helper()
	for began := time.Now(); len(s.searches) > 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("%d searches go on without a client", len(s.searches))
		}
	}
}

// Searches that share an analyser have the same results as separate searches.
func TestAnalyseTogether(t *testing.T) {
	s := newServer(t, smallRun(t))
	bodies := []string{
		`{"game":"tictactoe","position":".........","simulations":150}`, `{"game":"tictactoe","position":"x........","simulations":90}`,
		`{"game":"tictactoe","position":"....x....","simulations":150}`, `{"game":"tictactoe","position":".x.......","simulations":40}`,
	}
	last := func(body string) string {
		lines := strings.Split(strings.TrimSpace(s.test(t, "/api/analyse", body).Body.String()), "\n")
		return regexp.MustCompile(`"simulations_per_second":[^,]*,`).ReplaceAllString(lines[len(lines)-1], "")
	}
	var alone, together [4]string
	for i, body := range bodies {
		alone[i] = last(body)
	}
	var wg sync.WaitGroup
	for i, body := range bodies {
		wg.Go(func() { together[i] = last(body) })
	}
	wg.Wait()
	if alone != together || !strings.Contains(alone[0], `"done":true`) {
		t.Errorf("together is found\n%s\nand alone\n%s", strings.Join(together[:], "\n"), strings.Join(alone[:], "\n"))
	}
	s.quiet(t)
}

// Only a limited number of searches can run at a time. A client that is slow to send its question
// or to read its answer does not count towards this limit.
func TestSlowClientsHoldNoPlace(t *testing.T) {
	s, url := serving(t, listener(t), nil, smallRun(t))
	const body = `{"game":"tictactoe","position":"....x....","simulations":20}`
	search := func(when string) {
		t.Helper()
		r, err := http.Post(url+"api/analyse", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if text, err := io.ReadAll(r.Body); err != nil || r.StatusCode != 200 || !strings.Contains(string(text), `"done":true`) {
			t.Errorf("%s: %v, %v, %s", when, r.Status, err, text)
		}
	}
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
	for range MaxSearches {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() // the body is never sent
		// The server sends "100 Continue" when it begins to read the body. At that time, the
		// request does not count as a search yet.
		fmt.Fprintf(c, "POST /api/analyse HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", host, len(body))
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "100") {
			t.Fatalf("the server answers %q, %v", line, err)
		}
	}
	search("while the bodies of others are awaited")

	release := make(chan struct{})
	var wg sync.WaitGroup
	for range MaxSearches {
		w := &slowWriter{ResponseRecorder: httptest.NewRecorder(), last: make(chan struct{}), release: release}
		r := httptest.NewRequest(http.MethodPost, url+"api/analyse", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		wg.Go(func() { s.handler().ServeHTTP(w, r) })
		<-w.last
	}
	s.quiet(t)
	search("while others do not read the end of their answers")
	close(release)
	wg.Wait()
}

// A slowWriter blocks at the last line of an answer until release is closed.
type slowWriter struct {
	*httptest.ResponseRecorder
	last    chan struct{} // closed when the last line of the answer is written
	release chan struct{}
}

func (w *slowWriter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(`"done":true`)) {
		close(w.last)
		<-w.release
	}
	return w.ResponseRecorder.Write(p)
}

// If a client does not read its answer, the server disconnects it and ends the search.
func TestAnalyseSlowClient(t *testing.T) {
	pipes := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	s, _ := serving(t, pipes, func(s *Server) { s.writeTimeout = 50 * time.Millisecond }, smallRun(t))
	client, server := net.Pipe() // no buffer: if the client does not read, the server blocks
	pipes.conns <- server
	body := `{"game":"tictactoe","position":"........."}`
	_, err := fmt.Fprintf(client, "POST /api/analyse HTTP/1.1\r\nHost: 127.0.0.1:7531\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); len(s.searches) == 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the search does not begin")
		}
	}
	s.quiet(t)
}
