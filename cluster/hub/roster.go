package hub

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"

	"github.com/nats-io/nats.go"
)

const (
	maxRoster     = maxConnections // the largest number of workers in the roster
	maxTurnedAway = 64             // the number of refused workers that are remembered, for people to see
	maxHellos     = 16             // the number of questions and hellos of a worker in one wire.HeartbeatInterval
	speedWindow   = time.Minute    // about the time over which a worker's speed is averaged, and at least a result
	maxGoroutines = 1 << 16        // the most that a worker can claim
)

// A roster lists the workers that have joined the hub, with their state and speed. The
// hub writes what people want to know of them to a file. A worker that is forgotten because there
// are too many joins again. Only a worker that is let in enters the roster. Of workers that are turned away it has the
// last few, which changes nothing for those let in, under whatever name they come.
type roster struct {
	path string // the file; see rundir.Workers; "" for none

	mu      sync.Mutex
	members map[string]*member // by name; guarded by mu
	byID    map[string]*member // the same by the names' identities; guarded by mu
	turned  []rundir.Worker    // the last workers that were turned away, each once, the newest last; guarded by mu
	hellos  map[string]int     // by identity: the questions and hellos in this wire.HeartbeatInterval; guarded by mu
	changed bool               // the file is out of date; guarded by mu
	awaited map[string]bool    // the workers of an earlier hub that have not said hello yet; guarded by mu
}

// A member is a worker and its last heartbeat.
type member struct {
	rundir.Worker
	left    bool      // it has said that it leaves
	invalid int       // its invalid messages, less its new results
	outrun  int       // the tasks that it kept while others did them, less its new results
	beats   int       // the number of its heartbeats
	since   time.Time // from when on recent counts; see speed
	recent  float64   // games in results that were accepted
}

// newRoster returns an empty roster, and removes the file of an earlier hub from a folder. The
// workers that were present when that was written are awaited.
func newRoster(dir string) (*roster, error) {
	c := &roster{members: map[string]*member{}, byID: map[string]*member{}, hellos: map[string]int{}, awaited: map[string]bool{}}
	if dir == "" {
		return c, nil
	}
	c.path = filepath.Join(dir, filepath.Base(rundir.WorkersPath))
	old, _ := rundir.ReadWorkers(c.path) // of a file that cannot be read nobody is awaited
	for _, w := range old.Workers {
		if w.Refused == "" && old.Time.Sub(w.Seen) < rundir.AwayAfter {
			c.awaited[w.Name] = true
		}
	}
	if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return c, nil
}

// join adds a worker that is let in. isNew says that it was not there before.
func (c *roster) join(name string, who wire.Hello) (isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.members[name]
	if old == nil && len(c.members) >= maxRoster {
		c.forget()
	}
	m := &member{Worker: describe(name, who)}
	m.since = m.Joined
	if old != nil {
		m.Tasks, m.Games, m.invalid = old.Tasks, old.Games, old.invalid
	}
	c.members[name], c.byID[wire.Identity(name)], c.changed = m, m, true
	c.turned = slices.DeleteFunc(c.turned, func(w rundir.Worker) bool { return w.Name == name })
	return old == nil || !old.works()
}

// turnAway notes that a worker was refused, and why.
func (c *roster) turnAway(name string, who wire.Hello, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := describe(name, who)
	w.Refused = why
	c.turned = append(slices.DeleteFunc(c.turned, func(w rundir.Worker) bool { return w.Name == name }), w)
	c.turned = slices.Delete(c.turned, 0, max(0, len(c.turned)-maxTurnedAway))
	c.changed = true
}

// describe is what is known of a worker that has just said hello.
func describe(name string, who wire.Hello) rundir.Worker {
	now := time.Now()
	return rundir.Worker{Name: name, Program: who.Program, System: who.System, Joined: now, Seen: now}
}

// countHello counts a question or a hello of the worker with an identity. often says that there were more than
// maxHellos in this wire.HeartbeatInterval.
func (c *roster) countHello(id string) (isMember, often bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.hellos) > maxRoster {
		clear(c.hellos)
	}
	c.hellos[id]++
	return c.byID[id] != nil, c.hellos[id] > maxHellos
}

// forget removes the member that has said nothing since it joined, or nothing for the longest time
// if all have. The caller holds c.mu.
func (c *roster) forget() {
	silentFirst := func(a, b *member) int {
		return cmp.Or(cmp.Compare(min(1, a.beats), min(1, b.beats)), a.Seen.Compare(b.Seen))
	}
	oldest := slices.MinFunc(slices.Collect(maps.Values(c.members)), silentFirst)
	delete(c.members, oldest.Name)
	delete(c.byID, wire.Identity(oldest.Name))
}

// knows reports whether a worker has been let in.
func (c *roster) knows(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.members[name]
	return m != nil && m.Refused == ""
}

// greet notes that a worker has said hello, and is awaited no more.
func (c *roster) greet(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.awaited, name)
}

// awaits reports whether some workers of an earlier hub have not come back yet.
func (c *roster) awaits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.awaited) > 0
}

// onHeartbeat receives a worker's heartbeat.
func (h *Hub) onHeartbeat(msg *nats.Msg) {
	var p wire.Heartbeat
	if len(msg.Data) > wire.MaxHeader || bounded.Unmarshal(msg.Data, &p) != nil || !isFrom(msg.Subject, p.Worker) {
		return
	}
	h.roster.update(p.Worker, func(m *member) {
		m.left, m.Goroutines = p.Leaves, min(max(0, p.Goroutines), maxGoroutines)
		m.beats++
	})
}

// countInvalid counts an invalid message of the worker with an identity. The count of one that has not been
// let in is 0.
func (c *roster) countInvalid(id string) (worker string, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.byID[id]
	if m == nil {
		return "", 0
	}
	m.invalid++
	return m.Name, m.invalid
}

// countResult adds an accepted result with some games to what its worker has done.
func (c *roster) countResult(worker string, games int) {
	c.update(worker, func(m *member) {
		m.Tasks++
		m.Games += games
		m.invalid, m.outrun = max(0, m.invalid-1), max(0, m.outrun-1)
		m.recent += float64(games)
		if age := m.Seen.Sub(m.since); age > speedWindow { // the older half counts no more
			m.since, m.recent = m.since.Add(age/2), m.recent/2
		}
	})
}

// speed is the number of games a second in the last results of the member.
func (m *member) speed(now time.Time) float64 {
	return m.recent / max(now.Sub(m.since), wire.HeartbeatInterval).Seconds()
}

// countOutrun counts a task that a worker keeps and somebody else has done.
func (c *roster) countOutrun(worker string) (count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.members[worker]; m != nil {
		m.outrun++
		count = m.outrun
	}
	return count
}

// update calls change for a worker that has just sent something, if it has joined.
func (c *roster) update(name string, change func(*member)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.members[name]; m != nil {
		m.Seen, c.changed = time.Now(), true
		change(m)
	}
}

// works reports whether a worker is neither away nor refused.
func (c *roster) works(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.members[name]
	return m != nil && m.works()
}

// works reports whether the member is neither away nor refused.
func (m *member) works() bool {
	return m.Refused == "" && !m.left && time.Since(m.Seen) < rundir.AwayAfter
}

// helps reports whether some worker is neither away nor refused.
func (c *roster) helps() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.works() {
			return true
		}
	}
	return false
}

// another returns a worker that works and has another key than the one named except, chosen at random; "" if
// there is none.
func (c *roster) another(except string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var others []string
	for name, m := range c.members {
		if m.works() && rundir.KeyOf(name) != rundir.KeyOf(except) {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return others[rand.IntN(len(others))]
}

// write writes the file, if there are workers and anything has changed; held is the number of tasks
// in the hands of each, and over says that the hub ends. A new wire.HeartbeatInterval begins.
func (c *roster) write(held map[string]int, over bool) error {
	c.mu.Lock()
	w := rundir.Workers{Time: time.Now().UTC(), Over: over}
	clear(c.hellos)
	shown := map[string]bool{}
	for _, r := range c.turned {
		if m := c.members[r.Name]; m == nil || !m.works() { // for example with another program since
			w.Workers, shown[r.Name] = append(w.Workers, r), true
		}
	}
	for name, m := range c.members {
		if shown[name] {
			continue
		}
		who := m.Worker
		who.Held, who.GamesPerSecond = held[name], m.speed(w.Time)
		w.Workers = append(w.Workers, who)
	}
	changed := c.changed || over && len(w.Workers) > 0
	c.changed = false
	c.mu.Unlock()
	if !changed || c.path == "" {
		return nil
	}
	slices.SortFunc(w.Workers, func(a, b rundir.Worker) int { return cmp.Compare(a.Name, b.Name) })
	if err := os.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
		return err
	}
	return rundir.WriteWorkers(c.path, w)
}

// writeRoster writes the roster's file every wire.HeartbeatInterval until ctx ends, and then once
// more to say that the hub has ended.
func (h *Hub) writeRoster(ctx context.Context) {
	tick := time.NewTicker(wire.HeartbeatInterval)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-ctx.Done():
			over = true
		case <-tick.C:
		}
		if err := h.roster.write(h.held(), over); err != nil {
			h.opt.Log.Warn("who works could not be written down", "error", err)
		}
	}
}
