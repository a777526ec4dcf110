package hub

import (
	"testing"

	"dojo.example/cluster/wire"
	"dojo.example/data/audit"
)

// If a worker repeatedly sends a result for a task that it was never given, only the first one is
// reported. When work starts again after a ban, its tasks belong to a new lot (batch of tasks), so
// that results of the old lot do not count.
func TestGivenTasks(t *testing.T) {
	var l leases
	l.give(1, "worker", false)
	l.give(2, audit.Trainer, false)
	for _, c := range []struct {
		number       int
		who          string
		given, again bool
	}{
		{1, "worker", true, false},
		{1, "worker", true, false},
		{2, "worker", false, false},
		{1, "another", false, false},
		{1, "another", false, true},
	} {
		if given, again := l.arrives(c.number, c.who); given != c.given || again != c.again {
			t.Errorf("task %d comes from %q: given %v, again %v", c.number, c.who, given, again)
		}
	}
	first, again := wire.Lot{Kind: "shards"}, wire.Lot{Kind: "shards", Attempt: 1}
	if first.ID() == again.ID() {
		t.Error("a lot that begins again has the name of the first")
	}
}
