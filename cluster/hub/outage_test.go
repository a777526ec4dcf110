package hub_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo.example/arena"
	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/selfplay"
	"dojo.example/train"

	"github.com/nats-io/nats-server/v2/server"
)

// A natsServer is a NATS server that can be stopped and started again at the same address.
type natsServer struct {
	*server.Server
	opt server.Options
}

// startNATS starts a server with default limits.
func startNATS(t *testing.T) *natsServer {
	t.Helper()
	return startWith(t, server.Options{})
}

// startWith starts a server with the given options.
func startWith(t *testing.T, opt server.Options) *natsServer {
	t.Helper()
	opt.Host, opt.Port, opt.NoSigs, opt.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	s := &natsServer{opt: opt}
	s.start(t)
	t.Cleanup(s.stop)
	return s
}

func (s *natsServer) start(t *testing.T) {
	t.Helper()
	opt := s.opt
	var err error
	if s.Server, err = server.NewServer(&opt); err != nil {
		t.Fatal(err)
	}
	go s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	s.opt.Port = opt.Port
}

func (s *natsServer) stop() {
	s.Shutdown()
	s.WaitForShutdown()
}

// A transcript is a log handler that remembers which messages it has received.
type transcript struct {
	slog.Handler
	mu   sync.Mutex
	told map[string]chan struct{} // by message: the channel that method heard returns; guarded by mu
}

func newTranscript() *transcript {
	return &transcript{Handler: quiet.Handler(), told: map[string]chan struct{}{}}
}

// heard returns a channel that is closed as soon as the log receives the given message.
func (l *transcript) heard(message string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.told[message] == nil {
		l.told[message] = make(chan struct{})
	}
	return l.told[message]
}

func (l *transcript) Enabled(context.Context, slog.Level) bool { return true }

func (l *transcript) Handle(_ context.Context, r slog.Record) error {
	told := l.heard(r.Message)
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-told:
	default:
		close(told)
	}
	return nil
}

const (
	silence = "the NATS server does not answer; trying again"
	away    = "lost the connection to the NATS server and the workers; going on without them and reconnecting"
	there   = "the connection to the NATS server is back"
)

// joinOver starts a hub that uses the server s and distributes the games of a run.
func joinOver(t *testing.T, s *natsServer, opt *train.Options, config string, log *slog.Logger) *cluster.Hub {
	t.Helper()
	hub, err := cluster.New(t.Context(), cluster.Options{
		Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), URL: s.ClientURL(), Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Attach(opt, config); err != nil {
		t.Fatal(err)
	}
	return hub
}

// waitFirst makes the trainer wait until begin is closed before it plays a game. So workers can
// play some games first.
func waitFirst(opt *train.Options, begin <-chan struct{}) {
	games := opt.Games
	opt.Games = func(ctx context.Context, f rundir.Folder, job selfplay.Job) (selfplay.Totals, error) {
		e := job.Evaluator
		job.Evaluator = model.Wrap(e, func(ctx context.Context, b *model.Batch) error {
			select {
			case <-begin:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			return e.Evaluate(ctx, b)
		})
		return games(ctx, f, job)
	}
}

// If the server goes down during a generation, the files of the run do not change: the worker waits
// for the server, and then sends the results of the games that it had begun.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := newTranscript()
	hub := joinOver(t, s, &opt, config, slog.New(log))
	sent := make(chan struct{})
	waitFirst(&opt, sent)
	var stop, begin sync.Once
	stopped := make(chan struct{})
	joined := make(chan struct{}, 10)
	worked := make(chan error, 1)
	go func() {
		worked <- worker.Work(t.Context(), worker.Options{
			Join: s.ClientURL(), Name: "w", Workers: 1, UntilDone: true, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
			Progress: func(p worker.Status) { // stops the server when the worker's first game is over
				stop.Do(func() {
					s.stop()
					close(stopped)
				})
				if p.Tasks > 1 { // the worker has sent its first result
					begin.Do(func() { close(sent) })
				}
			},
			Times: wire.Times{Request: 500 * time.Millisecond, Gone: time.Second}})
	}()
	ended := make(chan error, 1)
	go func() { ended <- finish(t, hub, opt) }()
	<-log.heard(away)
	<-stopped
	s.start(t)
	if err := errors.Join(<-ended, <-worked); err != nil {
		t.Fatal(err)
	}
	<-log.heard(there)
	if len(joined) != 1 {
		t.Errorf("the worker joined %d times, and lost the games that it had begun", len(joined))
	}
	compare(t, string(opt.Folder))
}

// A trainer and a worker that start while the server is down wait for the server.
func TestServerStartsLater(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	s.stop()
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log, workerLog := newTranscript(), newTranscript()
	worked := make(chan error, 1)
	go func() {
		worked <- worker.Work(t.Context(), worker.Options{Join: s.ClientURL(), Name: "w", Workers: 1, UntilDone: true, Log: slog.New(workerLog), Times: wire.Times{Gone: time.Second}})
	}()
	ready := make(chan *cluster.Hub)
	go func() { ready <- joinOver(t, s, &opt, config, slog.New(log)) }()
	<-log.heard(silence)
	s.start(t)
	hub := <-ready
	<-workerLog.heard("joined")
	if err := errors.Join(finish(t, hub, opt), <-worked); err != nil {
		t.Fatal(err)
	}
	compare(t, string(opt.Folder))
}

// If a trainer loses its server, it goes on without workers. If a trainer has never reached its
// server, it waits, but exits when it is interrupted or after some time.
func TestServerGone(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := newTranscript()
	hub := joinOver(t, s, &opt, config, slog.New(log))
	s.stop()
	<-log.heard(away)
	if err := finish(t, hub, opt); err != nil {
		t.Fatal(err)
	}
	compare(t, string(opt.Folder))

	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	log = newTranscript()
	go func() {
		_, err := cluster.New(ctx, cluster.Options{Name: "tiny", Config: config, URL: s.ClientURL(), Log: slog.New(log)})
		ended <- err
	}()
	<-log.heard(silence)
	interrupt()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a trainer that waits for its first connection ended with %v", err)
	}
	_, err = cluster.New(t.Context(), cluster.Options{Name: "tiny", Config: config, URL: s.ClientURL(), Log: quiet, Times: wire.Times{Outage: time.Millisecond}})
	if err == nil || !strings.Contains(err.Error(), s.ClientURL()) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a trainer that has waited too long ended with %v; want one line with %s", err, s.ClientURL())
	}
}

// startMatchHub starts a server, and a hub that uses it for a match.
func startMatchHub(t *testing.T, times wire.Times) (*natsServer, *cluster.Hub) {
	t.Helper()
	s := startNATS(t)
	_, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hub, err := cluster.New(t.Context(), cluster.Options{Name: "match", Config: config, URL: s.ClientURL(), Once: true, Log: quiet, Times: times})
	if err != nil {
		t.Fatal(err)
	}
	return s, hub
}

// A worker of a match waits for a long time if the server is down, but only for a short time if
// just the hub is gone.
func TestOutageOfMatch(t *testing.T) {
	t.Parallel()
	const gone = time.Second
	s, hub := startMatchHub(t, wire.Times{})
	joined := make(chan struct{}, 1)
	worked := make(chan error, 1)
	go func() {
		worked <- worker.Work(t.Context(), worker.Options{
			Join: s.ClientURL(), Name: "w", Workers: 1, UntilDone: true, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
			Times: wire.Times{Request: 500 * time.Millisecond, Gone: gone}})
	}()
	<-joined
	s.stop()
	select { // during the outage, which is longer than Times.Gone, the worker must not exit
	case err := <-worked:
		t.Fatalf("the worker ended with %v, though the server is down", err)
	case <-time.After(gone + gone/2):
	}
	s.start(t)
	hub.Close(false) // for the worker, this is the same as a stopped match
	if err := <-worked; !errors.Is(err, worker.ErrAway) {
		t.Errorf("when the hub was gone the worker ended with %v", err)
	}
}

// If somebody stops a match while a worker plays one of its games, the worker soon stops waiting
// for the trainer.
func TestStoppedMatch(t *testing.T) {
	t.Parallel()
	s, hub := startMatchHub(t, wire.Times{})
	opt := testMatch(t, &played{})
	a := opt.A.Make
	ctx, stop := context.WithCancel(t.Context())
	opt.A.Make = func() arena.Player { // the trainer plays nothing before the match is stopped
		<-ctx.Done()
		return a()
	}
	opt.Source = hub.PlayMatch
	closed := make(chan struct{})
	go func() {
		if _, err := arena.Match(ctx, opt); !errors.Is(err, context.Canceled) {
			t.Errorf("the match ended with %v", err)
		}
		hub.Close(false)
		close(closed)
	}()
	err := worker.Work(t.Context(), worker.Options{
		Join: s.ClientURL(), Name: "w", Workers: 1, UntilDone: true, Log: quiet,
		Progress: func(worker.Status) {
			stop()
			<-closed
		},
		Times: wire.Times{Request: 500 * time.Millisecond, Gone: time.Second}})
	if !errors.Is(err, worker.ErrAway) {
		t.Errorf("the worker ended with %v", err)
	}
}
