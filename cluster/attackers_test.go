package cluster_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"dojo/cluster"

	"github.com/nats-io/nats.go"
)

// helloAs says hello as a worker of the given name.
func helloAs(t *testing.T, hub *cluster.Hub, name, proof string) (w welcome) {
	t.Helper()
	c := connect(t, hub, rand.Text(), "", "")
	defer c.Close()
	text, err := json.Marshal(map[string]any{"worker": name, "proof": proof})
	if err != nil {
		t.Fatal(err)
	}
	msg, err := c.Request("dojo.hello", text, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(msg.Data, &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// admit lets a worker of the given name in, with the right proof.
func admit(t *testing.T, hub *cluster.Hub, name string) welcome {
	t.Helper()
	proof, err := cluster.Proof(t.Context(), helloAs(t, hub, name, "").Config)
	if err != nil {
		t.Fatal(err)
	}
	w := helloAs(t, hub, name, proof)
	if !w.Admitted {
		t.Fatalf("%s is not let in: %s", name, w.Error)
	}
	return w
}

// The server sends its answers wherever a worker wants them. It does not do there what the worker
// may not do itself.
func TestReplySubject(t *testing.T) {
	_, hub := start(t, "")
	defer hub.Close(false)
	entry := admit(t, hub, "stranger")
	worker := connect(t, hub, "stranger", "stranger", entry.Password)
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
		{worker, cluster.ResultsSubject(entry.Run, "stranger"), "garbage"},
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
