package cluster_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo.example/arena"
	"dojo.example/cluster"
	"dojo.example/model"
	"dojo.example/run"
	"dojo.example/selfplay"
	"dojo.example/train"

	"github.com/nats-io/nats-server/v2/server"
)

// A natsServer is a NATS server that can be stopped and started again at the same address.
type natsServer struct {
	*server.Server
	opt server.Options
}

// startNATS starts a server that keeps its data in dir.
func startNATS(t *testing.T, dir string) *natsServer {
	t.Helper()
	s := &natsServer{opt: server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir, MaxPayload: 9 << 20, NoSigs: true, NoLog: true,
	}}
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

// A transcript is a log that remembers which messages it was told.
type transcript struct {
	slog.Handler
	mu   sync.Mutex
	told map[string]chan struct{} // closed when the message has come
}

func newTranscript() *transcript {
	return &transcript{Handler: quiet.Handler(), told: map[string]chan struct{}{}}
}

// heard returns a channel that is closed as soon as the log was told a message.
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
	silence = "the NATS server does not answer; waiting for it"
	answer  = "the NATS server answers again"
)

// joinOver starts a hub at a server that has the games of a run played.
func joinOver(t *testing.T, s *natsServer, opt *train.Options, config string, log *slog.Logger) *cluster.Hub {
	t.Helper()
	hub, err := cluster.NewHub(t.Context(), cluster.HubOptions{
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

// waitFirst has the trainer play no game before begin is closed, so that others play some.
func waitFirst(opt *train.Options, begin <-chan struct{}) {
	games := opt.Games
	opt.Games = func(ctx context.Context, f run.Folder, job selfplay.Job) (selfplay.Totals, error) {
		e := job.Evaluator
		job.Evaluator = model.EvaluatorFunc(func(ctx context.Context, b *model.Batch) error {
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

// A server that is down in the midst of a generation for longer than requests wait, and comes
// back with its data or without, changes nothing: trainer and worker wait, and go on.
func TestServerRestarts(t *testing.T) {
	cluster.ShortenPatience(t, 500*time.Millisecond, patience, patience)
	for name, emptied := range map[string]bool{"with its data": false, "empty": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startNATS(t, t.TempDir())
			opt, config, err := newRun(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			log := newTranscript()
			hub := joinOver(t, s, &opt, config, slog.New(log))
			sent := make(chan struct{})
			waitFirst(&opt, sent)
			var stop, begin sync.Once
			worked := make(chan error)
			go func() {
				worked <- cluster.Work(t.Context(), cluster.WorkerOptions{
					Join: s.ClientURL(), Name: "w", Workers: 1, Log: quiet,
					Progress: func(p cluster.Status) { // the server stops when the worker's first game is over
						stop.Do(s.stop)
						if p.Tasks > 0 {
							begin.Do(func() { close(sent) })
						}
					},
				})
			}()
			ended := make(chan error)
			go func() { ended <- loop(t.Context(), opt) }()
			<-log.heard(silence)
			if emptied {
				s.opt.StoreDir = t.TempDir()
			}
			s.start(t)
			if err := errors.Join(<-ended, hub.Close(true), <-worked); err != nil {
				t.Fatal(err)
			}
			<-log.heard(answer)
			compare(t, string(opt.Folder))
		})
	}
}

// A trainer and a worker that are started while the server is down wait for it.
func TestServerStartsLater(t *testing.T) {
	cluster.ShortenPatience(t, 500*time.Millisecond, patience, patience)
	s := startNATS(t, t.TempDir())
	s.stop()
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log, workerLog := newTranscript(), newTranscript()
	worked := make(chan error)
	go func() {
		worked <- cluster.Work(t.Context(), cluster.WorkerOptions{Join: s.ClientURL(), Name: "w", Workers: 1, Log: slog.New(workerLog)})
	}()
	ready := make(chan *cluster.Hub)
	go func() { ready <- joinOver(t, s, &opt, config, slog.New(log)) }()
	<-log.heard(silence)
	s.start(t)
	hub := <-ready
	<-workerLog.heard("joined")
	if err := errors.Join(loop(t.Context(), opt), hub.Close(true), <-worked); err != nil {
		t.Fatal(err)
	}
	compare(t, string(opt.Folder))
}

// While trainer and worker wait for a server, they end as soon as they are told to.
func TestInterruptedOutage(t *testing.T) {
	cluster.ShortenPatience(t, 500*time.Millisecond, patience, patience)
	s := startNATS(t, t.TempDir())
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := newTranscript()
	hub := joinOver(t, s, &opt, config, slog.New(log))
	s.stop()
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- loop(ctx, opt) }()
	<-log.heard(silence)
	interrupt()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the trainer ended with %v", err)
	}
	if err := hub.Close(false); err != nil {
		t.Error(err)
	}
	ctx, interrupt = context.WithCancel(t.Context())
	go func() {
		_, err := cluster.NewHub(ctx, cluster.HubOptions{Name: "tiny", Config: config, Dir: t.TempDir(), URL: s.ClientURL(), Log: slog.New(newTranscript())})
		ended <- err
	}()
	interrupt()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a trainer that waits for its first connection ended with %v", err)
	}
}

// A trainer that waits for its server too long says which server, and what it asked.
func TestOutageTooLong(t *testing.T) {
	cluster.ShortenPatience(t, 100*time.Millisecond, 500*time.Millisecond, patience)
	s := startNATS(t, t.TempDir())
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hub := joinOver(t, s, &opt, config, quiet)
	s.stop()
	err = loop(t.Context(), opt)
	for _, part := range []string{"ask the server at " + s.ClientURL() + " to", "there is no connection"} {
		if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
			t.Errorf("the trainer ended with %v; want one line with %q", err, part)
		}
	}
	if err := hub.Close(false); err != nil {
		t.Error(err)
	}
}

// startMatchHub starts a server and the hub of a match on it.
func startMatchHub(t *testing.T) (*natsServer, *cluster.Hub) {
	t.Helper()
	s := startNATS(t, t.TempDir())
	_, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hub, err := cluster.NewHub(t.Context(), cluster.HubOptions{Name: "match", Config: config, Dir: t.TempDir(), URL: s.ClientURL(), Once: true, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return s, hub
}

// A worker of a match waits for a server that is down longer than for a hub that is gone.
func TestOutageOfMatch(t *testing.T) {
	const gone = time.Second
	cluster.ShortenPatience(t, 500*time.Millisecond, patience, gone)
	s, hub := startMatchHub(t)
	joined := make(chan struct{}, 1)
	worked := make(chan error, 1)
	go func() {
		worked <- cluster.Work(t.Context(), cluster.WorkerOptions{
			Join: s.ClientURL(), Name: "w", Workers: 1, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
		})
	}()
	<-joined
	s.stop()
	time.Sleep(gone + gone/2) // this is how long the outage takes
	s.start(t)
	select {
	case <-joined:
	case err := <-worked:
		t.Fatalf("the worker ended with %v, though the hub is there", err)
	}
	if err := hub.Close(false); err != nil { // as if somebody had stopped the match
		t.Error(err)
	}
	if err := <-worked; !errors.Is(err, cluster.ErrAway) {
		t.Errorf("when the hub was gone the worker ended with %v", err)
	}
}

// A worker that has begun a game of a match when somebody stops that does not wait for long.
func TestStoppedMatch(t *testing.T) {
	cluster.ShortenPatience(t, 500*time.Millisecond, patience, time.Second)
	s, hub := startMatchHub(t)
	opt := testMatch(t, &played{})
	a := opt.A.Make
	ctx, stop := context.WithCancel(t.Context())
	opt.A.Make = func() arena.Player { // nobody plays here before the match is stopped
		<-ctx.Done()
		return a()
	}
	opt.Source = hub.PlayMatch
	closed := make(chan struct{})
	go func() {
		if _, err := arena.Match(ctx, opt); !errors.Is(err, context.Canceled) {
			t.Errorf("the match ended with %v", err)
		}
		if err := hub.Close(false); err != nil {
			t.Error(err)
		}
		close(closed)
	}()
	err := cluster.Work(t.Context(), cluster.WorkerOptions{
		Join: s.ClientURL(), Name: "w", Workers: 1, Log: quiet,
		Progress: func(cluster.Status) {
			stop()
			<-closed
		},
	})
	if !errors.Is(err, cluster.ErrAway) {
		t.Errorf("the worker ended with %v", err)
	}
}
