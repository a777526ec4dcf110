package cluster

import (
	"log/slog"
	"testing"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"
)

// The results of tasks that were given out before the run went back count, and of a task that a
// worker was never given only the first copy is noted.
func TestLotOpenedAgain(t *testing.T) {
	h := &Hub{opt: HubOptions{Log: slog.New(slog.DiscardHandler)}, news: make(wire.Signal, 1)}
	first, again, other := &dispatch{hub: h, id: "lot"}, &dispatch{hub: h, id: "lot"}, &dispatch{hub: h, id: "other"}
	h.begin(first)
	first.give(1, "worker", false)
	first.give(2, rundir.Trainer, false)
	h.finish(first)
	h.begin(other)
	h.begin(again)
	for _, c := range []struct {
		d            *dispatch
		number       int
		who          string
		given, again bool
	}{
		{again, 1, "worker", true, false},
		{again, 1, "worker", true, false},
		{again, 2, rundir.Trainer, false, false},
		{again, 1, "another", false, false},
		{again, 1, "another", false, true},
		{other, 1, "worker", false, false},
	} {
		if given, again := c.d.arrives(c.number, c.who); given != c.given || again != c.again {
			t.Errorf("task %d of lot %q comes from %q: given %v, again %v", c.number, c.d.id, c.who, given, again)
		}
	}
}
