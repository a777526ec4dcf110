package hub_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/audit"

	"github.com/nats-io/nats.go"
)

// The hub tells workers apart by their keys. Two workers with the same name but different keys are
// different workers. A worker with the same key is the same worker, for example after a restart of
// its machine.
func TestStolenName(t *testing.T) {
	_, hub := start(t, "")
	defer hub.Close(false)
	mine, thief := wire.NewKey(), wire.NewKey()
	box, other := connectNamed(t, hub, "box", mine, ""), connectNamed(t, hub, "box", thief, "")
	proof, err := worker.Proof(t.Context(), ask(t, box, NameOf("box", mine)).Config)
	if err != nil {
		t.Fatal(err)
	}
	say := func(c *nats.Conn, key wire.Key, proof string) welcome {
		return helloAs(t, c, NameOf("box", key), Hello("box", proof, Protocol, key))
	}
	say(box, mine, proof)
	if w := say(other, thief, proof); !w.Admitted || NameOf("box", thief) == NameOf("box", mine) {
		t.Errorf("a worker of the same name with another key is answered %+v", w)
	}
	if w := say(other, thief, "wrong"); w.Error == "" || slices.Contains(hub.Refused(), NameOf("box", mine)) {
		t.Errorf("after a wrong proof under the name of a worker the trainer refuses %v", hub.Refused())
	}
	if w := say(box, mine, proof); !w.Admitted {
		t.Errorf("a worker that comes back is answered %+v", w)
	}
	stolen := append(wire.ConnectAs("box", thief, ""), nats.CustomInboxPrefix("_INBOX"), nats.Nkey(mine.Public(), func(nonce []byte) ([]byte, error) { return nonce, nil }))
	if c, err := nats.Connect(hub.Address(), stolen...); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("who has not the key of a name connects with it: %v, %v", c, err)
	}
}

// A worker called "trainer" is a worker like any other: when it lies, it is banned. The test uses
// an external NATS server to which everybody may send.
func TestLiarNamedTrainer(t *testing.T) {
	honest, err := want()
	if err != nil {
		t.Fatal(err)
	}
	s := startNATS(t)
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hub, err := cluster.New(t.Context(), cluster.Options{
		Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), URL: s.ClientURL(), Verify: 1, Log: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Attach(&opt, config); err != nil {
		t.Fatal(err)
	}
	begin, ended := make(chan struct{}), make(chan error, 1)
	waitFirst(&opt, begin) // the trainer plays nothing until all lies have arrived
	go func() { ended <- finish(t, hub, opt) }()
	c, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	proof, err := worker.Proof(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	l, name := newLiar(0), NameOf(audit.Trainer, strangers)
	entry := helloAs(t, c, name, Hello(audit.Trainer, proof, Protocol, strangers))
	for lies := 0; ; {
		n, ok, err := AskForTask(c, entry.Run, name, "")
		switch {
		case err != nil:
			t.Fatal(err)
		case !ok && lies > 0:
			close(begin)
		case !ok:
			time.Sleep(5 * time.Millisecond) // waits, because the generation has not begun
			continue
		}
		if !ok {
			break
		}
		lie, err := l.twist([]byte(honest[fmt.Sprintf("samples/gen-000000/shard-%06d.parquet", n)]))
		if err != nil {
			t.Fatal(err)
		}
		msg := &nats.Msg{Subject: ResultSubject(entry.Run, name), Header: nats.Header{}, Data: lie}
		msg.Header.Set("Dojo-Result", Result(name, strangers, cluster.FirstLot(config, opt.Name, opt.ProgramVersion), n, string(lie)))
		if _, err := c.RequestMsg(msg, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		lies++
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	compare(t, string(opt.Folder))
	ledger, err := audit.Open(opt.Folder)
	if err != nil || ledger.Banned()[name].Event != audit.Wrong {
		t.Errorf("cut off are %+v, %v", ledger.Banned(), err)
	}
}

// The hub sends its answers only to inboxes. So a worker cannot make the hub send messages to other
// workers, or under the name of another worker.
func TestReplySubject(t *testing.T) {
	_, hub := start(t, "")
	defer hub.Close(false)
	line := connect(t, hub, strangers, "")
	proof, err := worker.Proof(t.Context(), ask(t, line, stranger).Config)
	if err != nil {
		t.Fatal(err)
	}
	entry := hello(t, line, proof)
	state, err := line.SubscribeSync(StateSubject(entry.Run))
	if err != nil {
		t.Fatal(err)
	}
	for _, reply := range []string{StateSubject(entry.Run), ResultSubject(entry.Run, "another")} {
		for _, subject := range []string{NextSubject(entry.Run, stranger), QuestionSubject(stranger)} {
			if err := errors.Join(line.PublishRequest(subject, reply, []byte(`{"worker":"`+stranger+`"}`)), line.Flush()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, _, err := AskForTask(line, entry.Run, stranger, ""); err != nil { // the hub answers requests in order, so after this answer it has answered all earlier requests
		t.Fatal(err)
	}
	ask(t, line, stranger)
	if err := line.Flush(); err != nil {
		t.Fatal(err)
	}
	if msg, err := state.NextMsg(time.Millisecond); err == nil {
		t.Errorf("the hub told all workers %s", msg.Data)
	}
}

// lieAs starts a worker with the given name in the background. The worker lies until ctx ends.
func (x *trial) lieAs(ctx context.Context, t *testing.T, name string, twist func([]byte) ([]byte, error)) {
	t.Helper()
	joined := make(chan struct{}, 1)
	x.liars.Go(func() { // a banned worker exits with ErrRefused, any other without an error
		_ = Lie(ctx, worker.Options{
			Join: x.hub.Address(), Name: name, Workers: 1, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
		}, twist)
	})
	<-joined
}

// endLied trains the run to its end while workers lie, and compares the result with an undisturbed
// run. It calls stopLiars when the run is complete.
func (x *trial) endLied(t *testing.T, stopLiars func()) {
	t.Helper()
	if err := finish(t, x.hub, x.opt); err != nil {
		t.Fatal(err)
	}
	stopLiars()
	x.liars.Wait()
	compareWith(t, string(x.opt.Folder), x.want, x.opt.Train.Generations)
	if len(x.ledger(t, audit.Wrong)) == 0 {
		t.Error("nobody is cut off")
	}
}

// If all results are recomputed, the hub catches even two workers that falsify results in the same
// way.
func TestTwoConfirmingNames(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	begin := make(chan struct{})
	x := newTrial(t, begin, always)
	x.elsewhere.Store(true)
	for i := range 2 {
		x.lieAs(ctx, t, fmt.Sprint("liar ", i), newLiar(0).twist)
	}
	x.liars.Go(func() { // the trainer starts when one liar has confirmed the lie of the other, or when one is caught
		for end := time.Now().Add(patience); len(x.ledger(t, audit.Confirmed))+len(x.ledger(t, audit.Wrong)) == 0 && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		x.elsewhere.Store(false)
		close(begin)
	})
	x.endLied(t, stop)
}

// A liar may send false shards first, and then a true shard that is confirmed. When it is caught,
// the false shards are removed too.
func TestSleeper(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	begin := make(chan struct{})
	l, sent := newLiar(0), 0
	x := newTrial(t, begin, func(e audit.Entry) bool { return !l.isFirstLie(e) })
	x.lieAs(ctx, t, "sleeper", func(shard []byte) ([]byte, error) {
		switch sent++; sent {
		case 2: // the second shard is true, and it is confirmed
			return shard, nil
		case 4:
			close(begin)
		}
		return l.twist(shard)
	})
	x.endLied(t, stop)
}
