package hub

import (
	"fmt"
	"strings"
	"testing"

	"dojo.example/cluster/wire"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
)

// The roster (the hub's list of workers) can always take another worker, because it forgets silent
// workers. The file of a full roster stays readable, whatever its workers call themselves.
func TestFloodOfNames(t *testing.T) {
	c, err := newRoster(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.join("works", wire.Hello{})
	c.update("works", func(m *member) { m.beats++ })
	for i := range maxRoster + 100 {
		c.join(fmt.Sprint("worker ", i), wire.Hello{})
	}
	if !c.knows("works") || !c.knows(fmt.Sprint("worker ", maxRoster+99)) || c.knows("worker 0") || len(c.members) > maxRoster {
		t.Errorf("the roster has %d members, not the one that works and the newest", len(c.members))
	}

	long := strings.Repeat("\U0001F332", 1000)
	who := wire.Hello{Worker: long, Program: wire.Shorten(long, maxText), System: wire.Shorten(long, maxText)}
	for range maxRoster {
		name := wire.Identified(long, wire.NewKey().Public())
		c.join(name, who)
		c.update(name, func(m *member) {
			m.Refused = whyCutOff(audit.Entry{Generation: 1 << 40, Shard: 1 << 40, Gate: true, Worker: name})
			m.Goroutines, m.Held, m.Tasks, m.Games, m.GamesPerSecond = 1<<60, 1<<60, 1<<60, 1<<60, 1e18/3
		})
	}
	for range maxRoster {
		c.turnAway(wire.Identified(long, wire.NewKey().Public()), who, "it "+otherProtocol)
	}
	if err := c.write(nil, 0, false); err != nil {
		t.Fatal(err)
	}
	if all, err := rundir.ReadWorkers(c.path); err != nil || len(all.Workers) != maxRoster+maxTurnedAway {
		t.Errorf("of a full roster %d workers are read, %v", len(all.Workers), err)
	}
}

// If the hub refuses a hello with the name of an admitted worker, that worker stays admitted. Only
// after the worker has left does the list show why the hello was refused.
func TestTurnedAway(t *testing.T) {
	c, err := newRoster(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.join("box", wire.Hello{})
	c.turnAway("box", wire.Hello{}, "it computes other bits")
	shown := func() string {
		if err := c.write(nil, 0, false); err != nil {
			t.Fatal(err)
		}
		all, err := rundir.ReadWorkers(c.path)
		if err != nil || len(all.Workers) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		return all.Workers[0].Refused
	}
	if why := shown(); !c.knows("box") || !c.works("box") || why != "" {
		t.Errorf("a refused hello puts out a worker: %s", why)
	}
	c.update("box", func(m *member) { m.left = true })
	if why := shown(); why == "" {
		t.Error("a worker that has gone is not shown as refused")
	}
	if isNew := c.join("box", wire.Hello{}); !isNew || shown() != "" {
		t.Error("a worker that is let in again is shown as refused, or as one that was there")
	}
}
