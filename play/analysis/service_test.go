package analysis_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dojo.example/engine/tictactoe"
	"dojo.example/model"
	"dojo.example/play/analysis"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// service returns a service for tic-tac-toe. Before each batch it calls the function wait. Every
// position gets the same evaluation.
func service(lanes int, wait func()) *analysis.Service {
	blank := model.Wrap(model.Uniform, func(ctx context.Context, b *model.Batch) error {
		wait()
		return model.Uniform.Evaluate(ctx, b)
	})
	return &analysis.Service{
		Usual: think.Budget{Visits: 20},
		Open: func(game string) (*analysis.Analyser, error) {
			if game != tictactoe.Rules.Name {
				return nil, fmt.Errorf("game: there is no %s", game)
			}
			return analysis.New(mcts.GameOf(tictactoe.Rules), think.Options{Evaluator: blank}, analysis.Options{Workers: 1, Lanes: lanes}), nil
		},
	}
}

// answers runs a service with the given input and returns its answers by ID, in whatever order they
// were written. If several answers have no ID, answers joins them under the key "".
func answers(t *testing.T, s *analysis.Service, input string) map[string]string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Run(t.Context(), strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var a struct{ ID string }
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all[a.ID] += strings.TrimSpace(line)
	}
	return all
}

// Scripts rely on the exact format of answers and errors. After an error, the service reads the
// next query.
func TestServiceForm(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	got := answers(t, service(4, func() {}), strings.Join([]string{
		`{"id":"win","game":"tictactoe","position":"xx.oo....","simulations":100,"top":1}`,
		`{"id":"all","game":"tictactoe","position":"xx.oo....","simulations":100,"top":1,"include":["legal","score","drawing","policy","proven"]}`,
		`{"id":"over","game":"tictactoe","position":"xx.oo....","moves":["c3"]}`,
		`{"id":"usual","game":"tictactoe","position":".........","moves":["a1","b1 c1"],"priority":3,"top":0}`,
		``,
		`{"id":"time","game":"tictactoe","position":".........","time_ms":30}`,
		`nonsense`,
		`{"id":"cut","game":`,
		`[1]`,
		`{"game":"tictactoe","position":"........."}`,
		`{"id":7,"game":"tictactoe","position":"........."}`,
		`{"id":"two","game":"tictactoe","position":"........."} {}`,
		`{"id":"key","game":"tictactoe","pos":"........."}`,
		`{"id":"kind","game":"tictactoe","position":".........","simulations":"many"}`,
		`{"id":"chess","game":"chess","position":"........."}`,
		`{"id":"none","position":"........."}`,
		`{"id":"where","game":"tictactoe"}`,
		`{"id":"bad","game":"tictactoe","position":"xxx"}`,
		`{"id":"move","game":"tictactoe","position":".........","moves":["a1","a1"]}`,
		`{"id":"end","game":"tictactoe","position":"xx.oo....","moves":["c3","a1"]}`,
		`{"id":"much","game":"tictactoe","position":".........","simulations":2000000}`,
		`{"id":"less","game":"tictactoe","position":".........","time_ms":-1}`,
		`{"id":"extra","game":"tictactoe","position":".........","include":["coffee"]}`,
		`{"id":"gone","cancel":"nobody"}`,
		`{"id":"` + long + `","game":"tictactoe","position":"........."}`,
		`{"id":"last","game":"tictactoe","position":"` + strings.Repeat("x", 1000) + `"}`,
	}, "\n"))
	for id, want := range map[string]string{
		"win":   `{"id":"win","game":"tictactoe","position":"xx.oo....","to_move":"first","outcome":"ongoing","value":1,"visits":`,
		"over":  `{"id":"over","game":"tictactoe","position":"xxxoo....","to_move":"second","outcome":"first","value":1,"visits":0,"moves":[]}`,
		"key":   `{"id":"key","error":"json: unknown field \"pos\""}`,
		"two":   `{"id":"two","error":"there is more than one JSON value"}`,
		"kind":  `{"id":"kind","error":"simulations: the value has type string, but must have type int"}`,
		"chess": `{"id":"chess","error":"game: there is no chess"}`,
		"none":  `{"id":"none","error":"game: it is missing"}`,
		"where": `{"id":"where","error":"position: it is missing"}`,
		"move":  `{"id":"move","error":"action 2: \"a1\" is not a legal action in \"......x..\""}`,
		"end":   `{"id":"end","error":"action 2: \"a1\" comes after the end of the game"}`,
		"much":  `{"id":"much","error":"simulations: 2000000 is not between 0 and 1000000"}`,
		"less":  `{"id":"less","error":"time_ms: -1 is not between 0 and 3600000"}`,
		"extra": `{"id":"extra","error":"include: \"coffee\" is not one of legal, score, drawing, policy, proven"}`,
		"gone":  `{"id":"gone","error":"cancel: there is no unanswered query \"nobody\""}`,
	} {
		if !strings.Contains(got[id], want) {
			t.Errorf("query %q is answered %s, want %s", id, got[id], want)
		}
	}
	for _, want := range []string{
		`"moves":[{"move":"c3","visits":`, `"value":1,"line":["c3"]}]}`,
	} {
		if !strings.Contains(got["win"], want) {
			t.Errorf("the answer %s lacks %s", got["win"], want)
		}
	}
	for _, want := range []string{
		`"legal":["c3","c2","a1","b1","c1"]`, `"drawing":"`, `"policy":1,`, `"line":["c3"],"proven":"first"}]`, `"proven":"first"}],"proven":"first"}`,
	} {
		if !strings.Contains(got["all"], want) {
			t.Errorf("the answer %s lacks %s", got["all"], want)
		}
	}
	if !strings.Contains(got["usual"], `"position":"......xox"`) || !strings.Contains(got["usual"], `"visits":20,`) || strings.Count(got["usual"], `"prior":`) != 6 {
		t.Errorf("a query without a budget is answered %s", got["usual"])
	}
	if !strings.Contains(got["time"], `"visits":`) {
		t.Errorf("a query by time is answered %s", got["time"])
	}
	for _, want := range []string{"the line has more than 65536 bytes", "unexpected EOF", "JSON: the value has type array, but must", "invalid character", "id: it is missing", "id: the value has type number, but must have type string"} {
		if !strings.Contains(got[""], want) {
			t.Errorf("lines without an id are answered %s, want %s", got[""], want)
		}
	}
	if len(got["last"]) > 300 {
		t.Errorf("what was sent is quoted at length: %s", got["last"])
	}
}

// conversation is a running service to which a test sends queries one by one.
type conversation struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufferedLines
	end chan error
}

// talk starts a conversation with the service s.
func talk(t *testing.T, ctx context.Context, s *analysis.Service) *conversation {
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { r.CloseWithError(ctx.Err()) })
	c := &conversation{t, w, &bufferedLines{more: make(chan string, 100)}, make(chan error, 1)}
	go func() { c.end <- s.Run(ctx, r, c.out) }()
	return c
}

func (c *conversation) say(line string) {
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *conversation) hear() string {
	select {
	case line := <-c.out.more:
		return line
	case <-time.After(time.Minute):
		c.t.Fatal("no answer comes")
		return ""
	}
}

// bufferedLines is a writer that sends each whole line to a channel.
type bufferedLines struct{ more chan string }

func (b *bufferedLines) Write(p []byte) (int, error) {
	b.more <- strings.TrimSpace(string(p))
	return len(p), nil
}

// A query can be cancelled while it runs. The ID of an unanswered query cannot be used again, but
// the ID of an answered query can.
func TestServiceCancels(t *testing.T) {
	s := service(2, func() { time.Sleep(time.Millisecond) })
	s.Usual = think.Budget{} // search until cancelled
	c := talk(t, t.Context(), s)
	c.say(`{"id":"a","game":"tictactoe","position":"........."}`)
	c.say(`{"id":"a","game":"tictactoe","position":"x........","simulations":1}`)
	if got, want := c.hear(), `{"id":"a","error":"id: an earlier query with this id is still unanswered"}`; got != want {
		t.Errorf("the same id again: %s, want %s", got, want)
	}
	c.say(`{"id":"b","cancel":"a"}`)
	got := []string{c.hear(), c.hear()}
	slices.Sort(got)
	if want := []string{`{"id":"a","error":"cancelled"}`, `{"id":"b","cancel":"a"}`}; !slices.Equal(got, want) {
		t.Errorf("a query that is cancelled: %s, want %s", got, want)
	}
	c.say(`{"id":"a","game":"tictactoe","position":"x........","simulations":1}`)
	if got := c.hear(); !strings.Contains(got, `"visits":1,`) {
		t.Errorf("the id again after its answer: %s", got)
	}
	c.in.Close()
	if err := <-c.end; err != nil {
		t.Error(err)
	}
}

// At most Pending queries are unanswered at a time. The service does not read further lines until
// it has answered one of them.
func TestServiceIsBounded(t *testing.T) { synctest.Test(t, testServiceIsBounded) }

func testServiceIsBounded(t *testing.T) {
	hold := make(chan struct{})
	var once sync.Once
	release := func() { once.Do(func() { close(hold) }) }
	defer release()
	s := service(2, func() { <-hold })
	s.Pending = 3
	c := talk(t, t.Context(), s)
	taken := make(chan int, 100)
	go func() {
		for i := range 20 {
			if _, err := fmt.Fprintf(c.in, `{"id":"%d","game":"tictactoe","position":".........","simulations":2}`+"\n", i); err != nil {
				return
			}
			taken <- i
		}
		c.in.Close()
	}()
	// The service has read four lines: three queries are unanswered, and the fourth waits until one
	// of them is answered.
	synctest.Wait()
	if n := len(taken); n != 4 {
		t.Errorf("%d lines are read while 3 queries are pending, want 4", n)
	}
	release()
	for range 20 {
		if got := c.hear(); !strings.Contains(got, `"visits":2,`) {
			t.Errorf("answered %s", got)
		}
	}
	if err := <-c.end; err != nil {
		t.Error(err)
	}
}

// When the context ends, Run returns the context's error immediately, even if queries are
// unanswered. Run also returns if writing fails.
func TestServiceEnds(t *testing.T) { synctest.Test(t, testServiceEnds) }

func testServiceEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := service(2, func() { time.Sleep(time.Millisecond) })
	s.Usual = think.Budget{}
	c := talk(t, ctx, s)
	for i := range 10 {
		c.say(fmt.Sprintf(`{"id":"%d","game":"tictactoe","position":"........."}`, i))
	}
	began := time.Now()
	cancel()
	if err := <-c.end; !errors.Is(err, context.Canceled) {
		t.Errorf("Run ends with %v", err)
	}
	if d := time.Since(began); d > 20*time.Millisecond {
		t.Errorf("Run ends %v after the context", d)
	}
	full := errors.New("full")
	err := service(1, func() {}).Run(t.Context(), strings.NewReader(`{"id":"a"}`), failing{full})
	if !errors.Is(err, full) {
		t.Errorf("an answer that cannot be written: %v", err)
	}
	// Give the workers one second to notice that the searches have ended. The sleep takes no real
	// time, because synctest provides a fake clock.
	time.Sleep(time.Second)
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
