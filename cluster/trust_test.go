package cluster_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo.example/cluster"
	"dojo.example/run"

	"github.com/nats-io/nats.go"
)

// hi says hello as a worker of the given name, with the right proof, and with a password if it
// has one.
func hi(t *testing.T, hub *cluster.Hub, name, password string) welcome {
	t.Helper()
	guest := connect(t, hub, rand.Text(), "", "")
	defer guest.Close()
	proof, err := cluster.Proof(t.Context(), hello(t, guest, "").Config)
	if err != nil {
		t.Fatal(err)
	}
	return helloAs(t, guest, cluster.Hello(name, password, proof, cluster.Protocol, strangers))
}

// admit lets a worker of the given name in.
func admit(t *testing.T, hub *cluster.Hub, name string) welcome {
	t.Helper()
	w := hi(t, hub, name, "")
	if !w.Admitted {
		t.Fatalf("%s is not let in: %s", name, w.Error)
	}
	return w
}

// Nobody gets the password of a worker by its name. While the worker is there, nobody gets in under
// its name; when it is gone, the name is free, with another password.
func TestStolenName(t *testing.T) {
	_, hub := start(t, "")
	defer hub.Close(false)
	key, name := admit(t, hub, "box").Password, cluster.NameOf("box", strangers)
	refused := func(when string) {
		t.Helper()
		if w := hi(t, hub, "box", ""); w.Admitted || w.Password != "" || !strings.Contains(w.Error, fmt.Sprintf("another worker called %q is there", name)) {
			t.Errorf("%s a second worker of its name is answered %+v", when, w)
		}
	}
	free := func() (password string) {
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if w := hi(t, hub, "box", ""); w.Admitted {
				return w.Password
			}
		}
		t.Fatal("the name of a worker that is gone is not free")
		return ""
	}
	refused("before a worker has connected")
	box := connect(t, hub, name, name, key)
	refused("while a worker is connected")
	if w := hi(t, hub, "box", key); !w.Admitted || w.Password != key {
		t.Errorf("a worker whose connection broke is answered %+v", w)
	}
	box.Close()
	refused("before a worker has connected again")
	box = connect(t, hub, name, name, key)
	thief := connect(t, hub, rand.Text(), "", "")
	if w := helloAs(t, thief, cluster.Hello("box", "", "wrong", cluster.Protocol, strangers)); w.Error == "" || len(hub.Refused()) > 0 {
		t.Errorf("after a wrong proof under the name of a worker the trainer refuses %v", hub.Refused())
	}
	cluster.ShortenNameHeld(t, time.Millisecond)
	err := cluster.Work(t.Context(), cluster.WorkerOptions{Join: hub.Address(), Name: "box", Key: strangers, Workers: 1, Log: quiet})
	if !errors.Is(err, cluster.ErrRefused) || !strings.Contains(err.Error(), "--name") {
		t.Errorf("a second worker of a name ends with %v", err)
	}

	if w := helloAs(t, thief, cluster.Hello("box", "", "", cluster.Protocol, cluster.NewKey())); w.Error != "" {
		t.Errorf("a worker of the same name with a key of its own is refused: %+v", w)
	}

	box.Close()
	second := free()
	if second == key {
		t.Error("a worker gets the password of the one before")
	}
	box = connect(t, hub, name, name, second)
	var once sync.Once
	closed := make(chan struct{})
	box.SetDisconnectErrHandler(func(*nats.Conn, error) { once.Do(func() { close(closed) }) })
	hub.Silence(name) // as when its machine has lost its power
	if third := free(); third == second {
		t.Error("a worker gets the password of one that is silent")
	}
	<-closed
}

// What comes from the trainer is told from what comes from a worker by more than the name: over a
// NATS server where everybody may send, a liar that calls itself trainer is caught.
func TestLiarNamedTrainer(t *testing.T) {
	honest, err := want()
	if err != nil {
		t.Fatal(err)
	}
	s := startNATS(t, t.TempDir())
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hub, err := cluster.NewHub(t.Context(), cluster.HubOptions{
		Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), URL: s.ClientURL(), Verify: 1, Log: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Attach(&opt, config); err != nil {
		t.Fatal(err)
	}
	begin := make(chan struct{})
	waitFirst(&opt, begin) // until all lies are there
	c, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	entry := hello(t, c, "")
	l, name := newLiar(0), cluster.NameOf(run.Trainer, strangers)
	shards := opt.Selfplay.Shards()
	for n := range shards {
		lie, err := l.twist([]byte(honest[fmt.Sprintf("samples/gen-000000/shard-%06d.parquet", n)]))
		if err != nil {
			t.Fatal(err)
		}
		lot := cluster.FirstLot(config, opt.Name, opt.ProgramVersion)
		msg := &nats.Msg{Subject: cluster.ResultsSubject(entry.Run, name), Header: nats.Header{}, Data: lie}
		msg.Header.Set("Dojo-Result", cluster.Result(name, strangers, lot, n, hub.Ticket(lot, n), string(lie)))
		if _, err := c.RequestMsg(msg, 10*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		defer close(begin)
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if missing, err := opt.Folder.Missing(0, shards); err != nil || len(missing) == 0 {
				return
			}
		}
	}()
	if err := errors.Join(loop(t.Context(), opt), hub.Close(true)); err != nil {
		t.Fatal(err)
	}
	compare(t, string(opt.Folder))
	ledger, err := opt.Folder.OpenLedger()
	if err != nil || ledger.CutOff()[name].Event != run.Wrong {
		t.Errorf("cut off are %+v, %v", ledger.CutOff(), err)
	}
}

// The server sends its answers wherever a worker wants them. It does not do there what the worker
// may not do itself.
func TestReplySubject(t *testing.T) {
	_, hub := start(t, "")
	defer hub.Close(false)
	entry := admit(t, hub, "stranger")
	worker := connect(t, hub, stranger, stranger, entry.Password)
	guest := connect(t, hub, rand.Text(), "", "")
	jobs, results, models := "dojo-jobs-"+entry.Run, "dojo-results-"+entry.Run, "dojo-models-"+entry.Run
	requests := []struct {
		conn          *nats.Conn
		subject, body string
	}{
		{worker, "$JS.API.CONSUMER.MSG.NEXT." + jobs + ".all", `{"batch":1,"no_wait":true}`}, // whose answer is empty
		{worker, "$JS.API.CONSUMER.INFO." + jobs + ".all", ""},
		{worker, "$JS.API.STREAM.INFO." + models, ""},
		{worker, "$JS.API.DIRECT.GET." + models + ".dojo." + entry.Run + ".models.x.0", ""}, // whose answer is empty
		{worker, "$JS.ACK." + jobs + ".all.1.1.1.1.0", `+NXT {"batch":1,"no_wait":true}`},
		{worker, cluster.ResultsSubject(entry.Run, stranger), "garbage"},
		{guest, "dojo.hello", "garbage"},
	}
	var replies []string
	for _, stream := range []string{jobs, results, models} {
		replies = append(replies, "$JS.API.STREAM.PURGE."+stream, "$JS.API.STREAM.DELETE."+stream)
	}
	for _, stream := range []string{jobs, results} {
		replies = append([]string{"$JS.API.CONSUMER.DELETE." + stream + ".all"}, replies...)
	}
	for _, request := range requests {
		file := fmt.Sprint("of ", request.subject)
		name, err := hub.StoreFile(t.Context(), []byte(file)) // which a purge would remove
		if err != nil {
			t.Fatal(err)
		}
		for _, reply := range replies {
			if err := request.conn.PublishRequest(request.subject, reply, []byte(request.body)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := request.conn.Request(request.subject, []byte(request.body), 10*time.Second); err != nil {
			t.Fatalf("%s: %v", request.subject, err)
		}
		if err := hub.CheckStreams(t.Context()); err != nil {
			t.Fatalf("after requests to %s: %v", request.subject, err)
		}
		if content, err := hub.FetchFile(t.Context(), worker, name); err != nil || string(content) != file {
			t.Fatalf("after requests to %s a model is %q, %v", request.subject, content, err)
		}
	}
}

// lieAs lets a worker of the given name lie in the background until ctx ends.
func (x *trial) lieAs(ctx context.Context, t *testing.T, name string, twist func([]byte) ([]byte, error)) {
	t.Helper()
	joined := make(chan struct{}, 1)
	x.liars.Go(func() { // it ends with ErrRefused if it is caught, else without an error
		_ = cluster.Lie(ctx, cluster.WorkerOptions{
			Join: x.hub.Address(), Name: name, Workers: 1, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
		}, twist)
	})
	<-joined
}

// endLied trains a trial with liars to its end, and compares it with a run that was not disturbed.
func (x *trial) endLied(t *testing.T, stopLiars func()) {
	t.Helper()
	if err := errors.Join(loop(t.Context(), x.opt), x.hub.Close(true)); err != nil {
		t.Fatal(err)
	}
	stopLiars()
	x.liars.Wait()
	compareWith(t, string(x.opt.Folder), x.want, x.opt.Train.Generations)
	if len(x.ledger(t, run.Wrong)) == 0 {
		t.Error("nobody is cut off")
	}
}

// Where all is computed again, two workers that falsify it in the same way are caught.
func TestTwoConfirmingNames(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	begin := make(chan struct{})
	x := newTrial(t, begin, always)
	x.elsewhere.Store(true)
	for i := range 2 {
		x.lieAs(ctx, t, fmt.Sprint("liar ", i), newLiar(0).twist)
	}
	x.liars.Go(func() { // the trainer begins when one of them has confirmed a lie of the other, or is caught
		for end := time.Now().Add(patience); len(x.ledger(t, run.Confirmed))+len(x.ledger(t, run.Wrong)) == 0 && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		x.elsewhere.Store(false)
		close(begin)
	})
	x.endLied(t, stop)
}

// When a worker is caught, what it falsified before a true shard that was confirmed goes too.
func TestSleeper(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	begin := make(chan struct{})
	picks := 0
	x := newTrial(t, begin, func() bool {
		picks++
		return picks > 1 // not the first shard
	})
	l, sent := newLiar(0), 0
	x.lieAs(ctx, t, "sleeper", func(shard []byte) ([]byte, error) {
		switch sent++; sent {
		case 2: // true, and confirmed
			return shard, nil
		case 4:
			close(begin)
		}
		return l.twist(shard)
	})
	x.endLied(t, stop)
}
