package cluster

import (
	"fmt"
	"testing"
)

// However many workers are let in, there is room for another: silent workers are forgotten.
func TestFloodOfNames(t *testing.T) {
	c, err := newRoster("")
	if err != nil {
		t.Fatal(err)
	}
	c.join("works", hello{}, "")
	c.members["works"].beats++
	for i := range maxRoster + 100 {
		c.join(fmt.Sprint("worker ", i), hello{}, "")
	}
	if !c.knows("works") || !c.knows(fmt.Sprint("worker ", maxRoster+99)) || c.knows("worker 0") || len(c.members) > maxRoster {
		t.Errorf("the roster has %d members, not the one that works and the newest", len(c.members))
	}
}
