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
	maxRoster     = maxConnections // the largest number of workers in the list
	maxTurnedAway = 64             // the number of refused workers that the list shows
	maxHellos     = 16             // the number of questions and hellos that a worker may send in one wire.HeartbeatInterval
	speedWindow   = time.Minute    // a worker's speed is an average over roughly this time
	maxGoroutines = 1 << 16        // the largest number of goroutines that a heartbeat may state
)

// A roster lists the workers that have joined the hub, with their state and speed. The hub writes
// the list to a file, for people to read. Only admitted workers enter the roster. If the roster is
// full, it forgets a worker, which then has to join again. Refused workers are in a separate list,
// which retains only the latest ones, so that they cannot displace admitted workers, whatever names
// they use.
type roster struct {
	path string // the path of the file (see rundir.Workers); "" if no file is written

	mu      sync.Mutex
	members map[string]*member // the admitted workers, by identity (see wire.Identity); guarded by mu
	turned  []rundir.Worker    // the latest refused workers, the newest last; guarded by mu
	hellos  map[string]int     // the number of questions and hellos in this wire.HeartbeatInterval, by identity; guarded by mu
	changed bool               // the file is out of date; guarded by mu
	written bool               // the file exists; guarded by mu
	awaited map[string]bool    // the workers that were present at an earlier hub and have not said hello yet; guarded by mu
	tally   tally              // the counts of the results, and the counts of the tasks as last written; guarded by mu
}

// A tally counts tasks and results; see the fields of rundir.Workers with the same names.
type tally struct{ free, held, accepted, refused int }

// A member is an admitted worker, with what the hub knows and counts about it.
type member struct {
	rundir.Worker
	left    bool      // the worker has announced that it leaves
	invalid int       // the number of its invalid messages; each new result lowers it by one, down to 0
	outrun  int       // how often others were faster; see maxOutrun
	beats   int       // the number of heartbeats that the hub has received
	since   time.Time // start of the period in which recent counts games; see speed
	recent  float64   // the number of games in the results accepted in this period; older games count less
}

// newRoster returns an empty roster (list of workers), and removes the file that an earlier hub
// left in the folder dir. The workers that were present when that file was written are expected to
// come back.
func newRoster(dir string) (*roster, error) {
	c := &roster{members: map[string]*member{}, hellos: map[string]int{}, awaited: map[string]bool{}}
	if dir == "" {
		return c, nil
	}
	c.path = filepath.Join(dir, filepath.Base(rundir.WorkersPath))
	old, _ := rundir.ReadWorkers(c.path) // if the file cannot be read, the hub expects nobody
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

// join adds a worker that the hub admits. isNew reports whether the worker was absent before.
func (c *roster) join(name string, who wire.Hello) (isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := wire.Identity(name)
	old := c.members[id]
	if old == nil && len(c.members) >= maxRoster {
		c.forget()
	}
	m := &member{Worker: describe(name, who)}
	m.since = m.Joined
	if old != nil {
		m.Tasks, m.Games, m.invalid = old.Tasks, old.Games, old.invalid
	}
	c.members[id], c.changed = m, true
	c.turned = slices.DeleteFunc(c.turned, func(w rundir.Worker) bool { return w.Name == name })
	return old == nil || !old.works()
}

// turnAway records that the hub has refused a worker, and the reason.
func (c *roster) turnAway(name string, who wire.Hello, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := describe(name, who)
	w.Refused = why
	c.turned = append(slices.DeleteFunc(c.turned, func(w rundir.Worker) bool { return w.Name == name }), w)
	c.turned = slices.Delete(c.turned, 0, max(0, len(c.turned)-maxTurnedAway))
	c.changed = true
}

// describe returns the list entry of a worker that has just said hello.
func describe(name string, who wire.Hello) rundir.Worker {
	now := time.Now()
	return rundir.Worker{Name: name, Program: who.Program, System: who.System, Joined: now, Seen: now}
}

// countHello counts a question or a hello of the worker with the identity id. isMember reports
// whether the worker is admitted, and often whether it has sent more than maxHellos questions and
// hellos in this wire.HeartbeatInterval.
func (c *roster) countHello(id string) (isMember, often bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.hellos) > maxRoster {
		clear(c.hellos)
	}
	c.hellos[id]++
	return c.members[id] != nil, c.hellos[id] > maxHellos
}

// forget removes a member that has joined but sent no heartbeat. If there is none, it removes the
// member that has been silent longest. The caller holds c.mu.
func (c *roster) forget() {
	silentFirst := func(a, b *member) int {
		return cmp.Or(cmp.Compare(min(1, a.beats), min(1, b.beats)), a.Seen.Compare(b.Seen))
	}
	oldest := slices.MinFunc(slices.Collect(maps.Values(c.members)), silentFirst)
	delete(c.members, wire.Identity(oldest.Name))
}

// knows reports whether a worker is admitted.
func (c *roster) knows(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.members[wire.Identity(name)]
	return m != nil && m.Refused == ""
}

// greet records that a worker has said hello. If the hub expected the worker to come back, it no
// longer does.
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

// countInvalid counts an invalid message of the worker with the identity id. It returns the
// worker's name and count. For a client that is not admitted, count is 0.
func (c *roster) countInvalid(id string) (worker string, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.members[id]
	if m == nil {
		return "", 0
	}
	m.invalid++
	return m.Name, m.invalid
}

// countResult records that the hub has accepted a worker's result with the given number of games.
func (c *roster) countResult(worker string, games int) {
	c.update(worker, func(m *member) {
		c.tally.accepted++
		m.Tasks++
		m.Games += games
		m.invalid, m.outrun = max(0, m.invalid-1), max(0, m.outrun-1)
		m.recent += float64(games)
		if age := m.Seen.Sub(m.since); age > speedWindow { // halve the weight of older games
			m.since, m.recent = m.since.Add(age/2), m.recent/2
		}
	})
}

// countRefused records that a worker's result was invalid or wrong.
func (c *roster) countRefused() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tally.refused++
	c.changed = true
}

// speed returns the recent speed of the member, in games per second.
func (m *member) speed(now time.Time) float64 {
	return m.recent / max(now.Sub(m.since), wire.HeartbeatInterval).Seconds()
}

// countOutrun counts a task that somebody else has completed while the worker held it. It returns
// the worker's score; see maxOutrun.
func (c *roster) countOutrun(worker string) (count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.members[wire.Identity(worker)]; m != nil {
		m.outrun++
		count = m.outrun
	}
	return count
}

// update records that the worker has just sent something, and calls change with the worker's entry.
// It does nothing if the worker has not joined.
func (c *roster) update(name string, change func(*member)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.members[wire.Identity(name)]; m != nil {
		m.Seen, c.changed = time.Now(), true
		change(m)
	}
}

// works reports whether a worker is present and not refused.
func (c *roster) works(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.members[wire.Identity(name)]
	return m != nil && m.works()
}

// works reports whether the member is present and not refused.
func (m *member) works() bool {
	return m.Refused == "" && !m.left && time.Since(m.Seen) < rundir.AwayAfter
}

// helps reports whether at least one worker is present and not refused.
func (c *roster) helps() bool { return c.present() > 0 }

// present returns the number of workers that are present and not refused.
func (c *roster) present() (count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if m.works() {
			count++
		}
	}
	return count
}

// another returns the name of a random worker that is present and whose key differs from the given
// worker's. It returns "" if there is none.
func (c *roster) another(except string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var others []string
	for _, m := range c.members {
		if m.works() && rundir.KeyOf(m.Name) != rundir.KeyOf(except) {
			others = append(others, m.Name)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return others[rand.IntN(len(others))]
}

// write writes the file if anything has changed. held is the number of tasks that each worker and
// the trainer hold, and free the number of tasks on which nobody works. over says whether the hub is
// shutting down. write also resets the counts of hellos, because it is called once in each
// wire.HeartbeatInterval.
func (c *roster) write(held map[string]int, free int, over bool) error {
	c.mu.Lock()
	now := tally{free, 0, c.tally.accepted, c.tally.refused}
	for _, n := range held {
		now.held += n
	}
	c.changed, c.tally = c.changed || now != c.tally, now
	w := rundir.Workers{Time: time.Now().UTC(), Over: over, Workers: []rundir.Worker{}, Free: now.free, Held: now.held, Accepted: now.accepted, Refused: now.refused}
	clear(c.hellos)
	shown := map[string]bool{}
	for _, r := range c.turned {
		if m := c.members[wire.Identity(r.Name)]; m == nil || !m.works() { // skips a refused worker that was admitted later, perhaps with a different program
			w.Workers, shown[r.Name] = append(w.Workers, r), true
		}
	}
	for _, m := range c.members {
		if who := m.Worker; !shown[who.Name] {
			who.Held, who.GamesPerSecond = held[who.Name], m.speed(w.Time)
			w.Workers = append(w.Workers, who)
		}
	}
	changed := c.changed || over && (len(w.Workers) > 0 || c.written)
	c.changed, c.written = false, c.written || changed
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

// writeRoster writes the roster (the list of workers) to its file in every wire.HeartbeatInterval
// until ctx ends. Then it writes the file a last time, to record that the hub has shut down.
func (h *Hub) writeRoster(ctx context.Context) {
	tick := time.NewTicker(wire.HeartbeatInterval)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-ctx.Done():
			over = true
		case <-tick.C:
		}
		if err := h.roster.write(h.held(), h.free(), over); err != nil {
			h.opt.Log.Warn("could not write the list of workers", "error", err)
		}
	}
}
