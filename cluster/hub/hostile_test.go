package hub_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/audit"

	"github.com/nats-io/nats.go"
)

// connect connects to a hub as a worker whose own name is "stranger".
func connect(t *testing.T, hub *cluster.Hub, key wire.Key, token string) *nats.Conn {
	t.Helper()
	return connectNamed(t, hub, "stranger", key, token)
}

// connectNamed connects to a hub as a worker with the given name.
func connectNamed(t *testing.T, hub *cluster.Hub, name string, key wire.Key, token string) *nats.Conn {
	t.Helper()
	c, err := nats.Connect(hub.Address(), append(wire.ConnectAs(name, key, token), nats.NoReconnect(),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// welcome is the hub's answer to a worker's hello.
type welcome struct {
	Error, Run, Config string
	Admitted           bool
}

// These are the key of the workers that call themselves "stranger", and the name by which a hub
// knows them.
var (
	strangers = wire.NewKey()
	stranger  = NameOf("stranger", strangers)
)

// ask asks the hub which run it serves. worker is the sender's name at the hub.
func ask(t *testing.T, c *nats.Conn, worker string) welcome {
	t.Helper()
	return helloTo(t, c, QuestionSubject(worker), nil)
}

// hello sends a hello with the given proof, as the worker "stranger".
func hello(t *testing.T, c *nats.Conn, proof string) welcome {
	t.Helper()
	return helloAs(t, c, stranger, Hello("stranger", proof, Protocol, strangers))
}

// helloAs sends a hello on the subject of a worker. worker is that worker's name at the hub.
func helloAs(t *testing.T, c *nats.Conn, worker string, text []byte) welcome {
	t.Helper()
	return helloTo(t, c, HelloSubject(ask(t, c, worker).Run, worker), text)
}

// helloTo sends a hello on the given subject.
func helloTo(t *testing.T, c *nats.Conn, subject string, text []byte) (w welcome) {
	t.Helper()
	msg, err := c.Request(subject, text, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(msg.Data, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// The hub refuses a worker that does not know the token, and a worker whose program computes
// different bits.
func TestRefused(t *testing.T) {
	_, hub := start(t, "secret")
	defer hub.Close(false)
	for token, says := range map[string]string{"": "requires a token", "wrong": "token is wrong"} {
		err := worker.Work(t.Context(), worker.Options{Join: hub.Address(), Token: token, Name: "w", Workers: 1, Log: quiet})
		if !errors.Is(err, worker.ErrRefused) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("with token %q: %v", token, err)
		}
	}
	c := connect(t, hub, strangers, "secret")
	if w := hello(t, c, strings.Repeat("0", 64)); w.Admitted || !strings.Contains(w.Error, "computes other results") {
		t.Errorf("with a wrong proof: %+v", w)
	}
	old := Hello("stranger", strings.Repeat("0", 64), Protocol-1, strangers)
	if w := helloAs(t, c, stranger, old); w.Admitted || !strings.Contains(w.Error, "another version of the protocol") {
		t.Errorf("a program of another protocol: %+v", w)
	}
	forged := bytes.Replace(Hello("stranger", "", Protocol, strangers), []byte(`"system":""`), []byte(`"system":"x"`), 1)
	if w := helloAs(t, c, stranger, forged); w.Admitted || !strings.Contains(w.Error, "not signed") {
		t.Errorf("a hello that was changed: %+v", w)
	}
	for _, garbage := range []string{"{", `{"worker":"\u001b[2J"}`, `{"worker":"a\nb"}`} {
		if w := helloAs(t, c, stranger, []byte(garbage)); !strings.Contains(w.Error, "not the hello") {
			t.Errorf("%s in the place of a hello: %+v", garbage, w)
		}
	}
}

// The hub drops messages that are not valid results of the generation. A worker can neither read
// the hub's answers to other workers nor send results under another worker's name.
func TestGarbageChangesNothing(t *testing.T) {
	t.Parallel()
	opt, hub := start(t, "")
	line := connect(t, hub, strangers, "")
	entry := ask(t, line, stranger)
	proof, err := worker.Proof(t.Context(), entry.Config)
	if err != nil {
		t.Fatal(err)
	}
	lot := cluster.FirstLot(entry.Config, opt.Name, opt.ProgramVersion)
	if n, ok, err := AskForTask(line, entry.Run, stranger, lot); ok || err != nil {
		t.Errorf("a worker that has not been let in gets task %d, %v", n, err)
	}
	if entry = hello(t, line, proof); !entry.Admitted {
		t.Fatalf("with the right proof: %+v", entry)
	}
	results := ResultSubject(entry.Run, stranger)

	// No worker can read the hub's answers to another worker.
	other := connect(t, hub, wire.NewKey(), "")
	eavesdrop, err := other.SubscribeSync("_INBOX.>")
	if err != nil {
		t.Fatal(err)
	}
	hello(t, line, proof)
	if msg, err := eavesdrop.NextMsg(200 * time.Millisecond); err == nil {
		t.Errorf("a stranger read %s", msg.Data)
	}

	// A worker cannot send results under the name of another worker, even if it chooses the same
	// name, because the hub tells workers apart by their keys.
	if _, err := other.Request(results, []byte("x"), 200*time.Millisecond); !errors.Is(err, nats.ErrTimeout) {
		t.Errorf("a worker of another key sent a result: %v", err)
	}
	if _, err := line.Request(ResultSubject(entry.Run, "another"), []byte("x"), 200*time.Millisecond); !errors.Is(err, nats.ErrTimeout) {
		t.Errorf("a worker sent a result in the name of another: %v", err)
	}

	alone, err := want()
	if err != nil {
		t.Fatal(err)
	}
	begin, ended := make(chan struct{}), make(chan error, 1)
	waitFirst(&opt, begin)
	go func() { ended <- finish(t, hub, opt) }()
	var mine []int // two tasks that the worker was given
	for len(mine) < 2 {
		n, ok, err := AskForTask(line, entry.Run, stranger, lot, mine...)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			mine = append(mine, n)
		}
	}
	shard := func(n int) string { return alone[fmt.Sprintf("samples/gen-000000/shard-%06d.parquet", n)] }
	a, b := mine[0], mine[1]
	first, second := shard(a), shard(b)
	cut, changed, long := first[:len(first)/2], second[:100]+"!"+second[101:], strings.Repeat("x", wire.MaxMessage)
	of := func(lot string, number int, content string) string {
		return Result(stranger, strangers, lot, number, content)
	}
	for _, c := range []struct{ header, content string }{
		{"", "garbage"},
		{"{", first},
		{of(lot, b, first), first},                // the content belongs to another task
		{of(lot, 600, first), first},              // the task does not exist
		{of(lot, -1, first), first},               // the task number is invalid
		{of("0123456789abcdef", a, first), first}, // another lot
		{of(lot, a, cut), cut},                    // the content is truncated
		{of(lot, a, first), second},               // the signature belongs to different content
		{of(lot, b, changed), changed},
		{of(lot, a, long), long},
		{Result("another", strangers, lot, a, first), first}, // the header names another worker
		{Result(stranger, wire.NewKey(), lot, a, first), first},
		{Result("../../w\n", strangers, lot, a, first), first},
		{of(lot, b+1, shard(b+1)), shard(b + 1)}, // the worker was not given this task
	} {
		msg := &nats.Msg{Subject: results, Header: nats.Header{}, Data: []byte(c.content)}
		msg.Header.Set("Dojo-Result", c.header)
		if err := line.PublishMsg(msg); err != nil {
			t.Fatalf("send %s: %v", c.header, err)
		}
	}
	again := &nats.Msg{Subject: results, Header: nats.Header{"Dojo-Result": {of(lot, b+1, shard(b+1))}}, Data: []byte(shard(b + 1))}
	for range 20 { // a worker repeats a result until it gets an answer, so copies do not count against it
		if err := line.PublishMsg(again); err != nil {
			t.Fatal(err)
		}
	}
	if err := line.Flush(); err != nil {
		t.Fatal(err)
	}
	close(begin)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	compare(t, string(opt.Folder))
	handed := false
	err = audit.Read(opt.Folder, func(audit.Entry) { handed = true })
	if handed || err != nil {
		t.Errorf("something that the worker sent is in the ledger, %v", err)
	}
	if all := hub.Refused(); len(all) > 0 {
		t.Errorf("%q are cut off, for copies of one result", all)
	}
}

// If a hub listens on all addresses, Reachable returns an address at which other machines can reach
// it.
func TestReachable(t *testing.T) {
	for _, listens := range []string{"0.0.0.0:42", "[::]:42"} {
		host, port, err := net.SplitHostPort(wire.Reachable(listens))
		if ip := net.ParseIP(host); err != nil || host == "" || port != "42" || ip != nil && (ip.IsUnspecified() || ip.IsLoopback()) {
			t.Errorf("one that listens on %s is called %s:%s, %v", listens, host, port, err)
		}
	}
	for _, as := range []string{"127.0.0.1:42", "[::1]:42", "192.168.1.10:42"} {
		if got := wire.Reachable(as); got != as {
			t.Errorf("%s is called %s", as, got)
		}
	}
}

// The error message is clear if the hub cannot listen on an address, or if nothing answers at the
// address that a worker joins.
func TestAddresses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for listen, says := range map[string]string{
		taken.Addr().String(): "address already in use",
		"localhost":           "not of the form HOST:PORT",
		"127.0.0.1:x":         "x is not a port number",
		"127.0.0.1:70000":     "70000 is not a port number",
	} {
		_, err := cluster.New(t.Context(), cluster.Options{Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), Listen: listen, Log: quiet})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("listen on %s: %v, want %q", listen, err, says)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var said bytes.Buffer // the trainer's log, which says that a server does not answer
	_, err = cluster.New(ctx, cluster.Options{Name: opt.Name, Config: config, URL: "nats://me:secret@127.0.0.1:1", Log: slog.New(slog.NewTextHandler(&said, nil))})
	if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "secret") {
		t.Errorf("without a NATS server a trainer ended with %v", err)
	}
	if text := said.String(); !strings.Contains(text, "nats://127.0.0.1:1") || strings.Contains(text, "secret") {
		t.Errorf("of a NATS server that is not there is said %q, want its address and not its password", text)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begun := time.Now()
	err = worker.Work(ctx, worker.Options{Join: "127.0.0.1:1", Name: "w", Workers: 1, Log: quiet})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > 5*time.Second {
		t.Errorf("a worker without a trainer ended after %v with %v", time.Since(begun), err)
	}
}

// A worker with Options.Wait exits when it has waited for that long without an answer.
func TestWait(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	err = worker.Work(t.Context(), worker.Options{Join: address, Name: "w", Workers: 1, Wait: time.Millisecond, Log: quiet})
	if !errors.Is(err, worker.ErrAway) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a worker that nobody answers ended with %v", err)
	}
}
