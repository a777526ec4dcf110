package cluster

import (
	"fmt"
	"testing"
)

// However many names are let in, there is room for another: those that are not there are forgotten.
func TestFloodOfNames(t *testing.T) {
	g, c := newGatekeeper("", names{"run"}), &roster{members: map[string]*member{}}
	for i := range maxWorkers + 1000 {
		g.makeRoom(nil)
		if _, err := g.admit(fmt.Sprint("worker ", i), ""); err != nil {
			t.Fatalf("name %d: %v", i, err)
		}
	}
	if n := len(g.workers); n > maxWorkers || n < maxWorkers/2 {
		t.Errorf("%d names are known, want at most %d", n, maxWorkers)
	}
	if _, ok := g.workers["worker 0"]; ok {
		t.Error("the oldest name is still known")
	}
	c.join("works", hello{}, "")
	c.members["works"].times = append(c.members["works"].times, c.members["works"].Seen)
	for i := range maxRoster + 100 {
		c.join(fmt.Sprint("worker ", i), hello{}, "")
	}
	if c.members["works"] == nil || c.members[fmt.Sprint("worker ", maxRoster+99)] == nil || len(c.members) > maxRoster {
		t.Errorf("the roster has %d members, not the one that works and the newest", len(c.members))
	}
}
