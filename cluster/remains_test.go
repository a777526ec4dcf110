package cluster_test

import (
	"errors"
	"testing"
	"time"

	"dojo.example/cluster"
	"dojo.example/internal/slow"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// hubAt starts a hub at a server.
func hubAt(t *testing.T, s *natsServer, name, config string, once bool) *cluster.Hub {
	t.Helper()
	hub, err := cluster.NewHub(t.Context(), cluster.HubOptions{Name: name, Config: config, Dir: t.TempDir(), URL: s.ClientURL(), Once: once, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return hub
}

// jetStreamAt connects to a server until the test ends.
func jetStreamAt(t *testing.T, s *natsServer) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// What the hub of a match leaves on a server when it is killed is removed by the next hub there.
// What belongs to a hub that lives, or to a run whose trainer is away, stays.
func TestRemains(t *testing.T) {
	slow.Test(t, "waits until a server forgets a hub")
	cluster.ShortenRemains(t, time.Hour, 4*time.Second) // a hub asks for messages every two seconds
	s := startNATS(t, t.TempDir())
	_, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	js := jetStreamAt(t, s)
	living := hubAt(t, s, "living", config, true)
	away := hubAt(t, s, "away", config, false)
	dead := hubAt(t, s, "dead", config, true)
	if _, err := dead.StoreFile(t.Context(), []byte("a model")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(away.Kill(), dead.Kill()); err != nil {
		t.Fatal(err)
	}
	for consumers := 1; consumers > 0; time.Sleep(10 * time.Millisecond) { // until the server misses the hub
		all, err := dead.Streams(t.Context(), js)
		if err != nil {
			t.Fatal(err)
		}
		consumers = all[1].State.Consumers
	}
	next := hubAt(t, s, "next", config, false)
	for len(streamsOf(t, js)) > 3*3 { // or the test hangs
		time.Sleep(10 * time.Millisecond)
	}
	for name, hub := range map[string]*cluster.Hub{"a match that is played": living, "a run whose trainer is away": away} {
		if _, err := hub.Streams(t.Context(), js); err != nil {
			t.Errorf("the streams of %s: %v", name, err)
		}
	}
	if err := errors.Join(next.Close(true), living.Close(true)); err != nil {
		t.Error(err)
	}
	if left := streamsOf(t, js); len(left) != 3 { // of the run
		t.Errorf("in the end the server has the streams %q", left)
	}
}

// streamsOf lists the names of all streams of a server.
func streamsOf(t *testing.T, js jetstream.JetStream) (all []string) {
	t.Helper()
	list := js.StreamNames(t.Context())
	for name := range list.Name() {
		all = append(all, name)
	}
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// The server removes messages of a match some time after they came, and the more time is left to
// them the longer the match takes. It keeps those of a run.
func TestProlong(t *testing.T) {
	cluster.ShortenRemains(t, 10*time.Millisecond, time.Hour)
	s := startNATS(t, t.TempDir())
	_, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	js := jetStreamAt(t, s)
	ages := func(hub *cluster.Hub) (ages [3]time.Duration) {
		all, err := hub.Streams(t.Context(), js)
		if err != nil {
			t.Fatal(err)
		}
		for i, info := range all {
			ages[i] = info.Config.MaxAge
		}
		return ages
	}
	run, match := hubAt(t, s, "run", config, false), hubAt(t, s, "match", config, true)
	if got := ages(run); got != [3]time.Duration{} {
		t.Errorf("the server keeps messages of a run for %v only", got)
	}
	first := ages(match)
	if min(first[0], first[1], first[2]) < time.Hour {
		t.Errorf("the server keeps messages of a match for %v only", first)
	}
	for prolonged := 0; prolonged < 3; time.Sleep(10 * time.Millisecond) { // or the test hangs
		prolonged = 0
		for i, age := range ages(match) {
			if age > first[i] {
				prolonged++
			}
		}
	}
	if err := errors.Join(match.Close(false), run.Close(true)); err != nil {
		t.Error(err)
	}
}
