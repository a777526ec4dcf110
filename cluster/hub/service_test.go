package hub_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

// At an external server, NATS tools can show how many requests a hub has received. At an embedded
// server a worker cannot query this.
func TestService(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	_, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hub, err := cluster.New(t.Context(), cluster.Options{Name: "tiny", Config: config, URL: s.ClientURL(), Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close(false)
	c, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask(t, c, stranger)
	asked := map[string]int{}
	for range 100 { // tries several times, because the hub may count a request only after it has answered
		msg, err := c.Request("$SRV.STATS.dojo", nil, 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		var stats micro.Stats
		if err := json.Unmarshal(msg.Data, &stats); err != nil {
			t.Fatal(err)
		}
		for _, e := range stats.Endpoints {
			asked[e.Name] = e.NumRequests
		}
		if asked[wire.KindQuestion] > 0 {
			break
		}
	}
	if len(asked) != 5 || asked[wire.KindQuestion] != 1 {
		t.Errorf("after one question the endpoints were asked %v", asked)
	}

	_, embedded := start(t, "")
	defer embedded.Close(false)
	line := connect(t, embedded, strangers, "")
	ask(t, line, stranger)
	for _, subject := range []string{"$SRV.PING", "$SRV.STATS", "$SRV.INFO.dojo"} {
		if msg, err := line.Request(subject, nil, 200*time.Millisecond); !errors.Is(err, nats.ErrTimeout) {
			t.Errorf("%s tells a worker %v, %v", subject, msg, err)
		}
	}
}
