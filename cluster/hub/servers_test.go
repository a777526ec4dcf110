package hub_test

import (
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/internal/natsclient"

	"github.com/nats-io/nats-server/v2/server"
)

// startCluster starts a cluster of three NATS servers. It returns them with their URLs, separated by
// commas.
func startCluster(t *testing.T) (servers []*natsServer, urls string) {
	t.Helper()
	var routes []*url.URL
	for range 3 {
		s := startWith(t, server.Options{Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: server.RANDOM_PORT}, Routes: routes})
		route, err := url.Parse("nats://" + s.ClusterAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		routes = append(routes, route)
		servers = append(servers, s)
		urls += "," + s.ClientURL()
	}
	for _, s := range servers {
		waitFor(t, "the routes", func() bool { return others(t, s) == 2 })
	}
	return servers, urls[1:]
}

// others returns the number of other servers to which a server has a route.
func others(t *testing.T, s *natsServer) int {
	t.Helper()
	all, err := s.Routez(nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, r := range all.Routes {
		ids[r.RemoteID] = true
	}
	return len(ids)
}

// stopWith stops the server to which the client with the given name is connected, if that server is
// one of the given ones.
func stopWith(t *testing.T, servers []*natsServer, client string) (stopped *natsServer) {
	t.Helper()
	for _, s := range servers {
		all, err := s.Connz(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all.Conns {
			if c.Name == client && s.Running() {
				s.stop()
				return s
			}
		}
	}
	return nil
}

// If servers of a cluster die to which the trainer and the worker are connected, both go on with
// another server. The worker delivers the results that it has, and the files of the run do not
// change.
func TestServerOfClusterDies(t *testing.T) {
	t.Parallel()
	servers, urls := startCluster(t)
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := newTranscript()
	hub, err := cluster.New(t.Context(), cluster.Options{
		Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), URL: urls, Log: slog.New(log),
	})
	if err == nil {
		err = hub.Attach(&opt, config)
	}
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan struct{})
	waitFirst(&opt, sent)
	var first, delivered sync.Once
	playing := make(chan struct{})
	joined := make(chan struct{}, 10)
	stopped := make(chan struct{})
	worked := make(chan error, 1)
	go func() {
		worked <- worker.Work(t.Context(), worker.Options{
			Join: urls, Name: "w", Workers: 1, UntilDone: true, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
			Progress: func(p worker.Status) { // holds the worker while its first game is over and servers die
				first.Do(func() {
					close(playing)
					<-stopped
				})
				if p.Tasks > 1 { // the worker has sent its first result
					delivered.Do(func() { close(sent) })
				}
			},
			Times: wire.Times{Request: 500 * time.Millisecond}})
	}()
	ended := make(chan error, 1)
	go func() { ended <- finish(t, hub, opt) }()
	<-playing
	if stopWith(t, servers, "dojo trainer") == nil {
		t.Fatal("the trainer is not connected")
	}
	<-log.heard(there)
	if stopWith(t, servers, "w") == nil { // the worker may just be reconnecting
		t.Log("one server was stopped")
	}
	close(stopped)
	if err := errors.Join(<-ended, <-worked); err != nil {
		t.Fatal(err)
	}
	if len(joined) != 1 {
		t.Errorf("the worker joined %d times, and lost the games that it had begun", len(joined))
	}
	compare(t, string(opt.Folder))
}

// If no server of a list can be used, the error names each of them and says why.
func TestWrongServers(t *testing.T) {
	t.Parallel()
	s := startWith(t, server.Options{Username: "me", Password: "secret"})
	other := startWith(t, server.Options{Username: "you", Password: "other"})
	urls := strings.Replace(s.ClientURL(), "://", "://me:wrong@", 1) + "," + other.ClientURL()
	refuseBoth(t, badge{url: urls}, "wrong", s.ClientURL(), other.Addr().String()+": nats: Authorization Violation")
}

// A server that allows only small messages is named with the setting to change.
func TestSmallPayload(t *testing.T) {
	t.Parallel()
	s := startWith(t, server.Options{MaxPayload: 4096, Username: "me", Password: "secret"})
	refuseBoth(t, badge{url: s.ClientURL(), token: "me:secret"}, "secret", s.Addr().String(), "4096", "73728", "raise max_payload")
}

// If a server allows only small messages after a restart, the trainer's log says so, and the worker
// ends.
func TestPayloadShrinks(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := newTranscript()
	hub := joinOver(t, s, &opt, config, slog.New(log))
	defer hub.Close(false)
	joined := make(chan struct{}, 1)
	worked := make(chan error, 1)
	go func() {
		worked <- worker.Work(t.Context(), worker.Options{Join: s.ClientURL(), Name: "w", Workers: 1, Log: slog.New(notify{quiet.Handler(), "joined", joined})})
	}()
	<-joined
	s.stop()
	s.opt.MaxPayload = 4096
	s.start(t)
	<-log.heard("workers cannot help")
	if err := <-worked; !errors.Is(err, natsclient.ErrPayload) || !strings.Contains(err.Error(), s.ClientURL()) {
		t.Errorf("the worker ends with %v", err)
	}
}
