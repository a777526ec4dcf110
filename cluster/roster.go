package cluster

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"dojo.example/internal/bounded"
	"dojo.example/run"
	"dojo.example/selfplay"

	"github.com/nats-io/nats.go"
)

// A heartbeat is what a worker reports of itself, once every heartbeatInterval.
type heartbeat struct {
	Worker     string          `json:"worker"`
	Goroutines int             `json:"goroutines"`
	Held       int             `json:"held"` // the number of tasks that it works on
	Totals     selfplay.Totals `json:"totals"`
	Leaves     bool            `json:"leaves,omitempty"` // it is the last
}

const (
	heartbeatInterval = 2 * time.Second
	awayAfter         = 5 * heartbeatInterval // a worker whose last message is older than that is away
	maxRoster         = 1 << 14               // the largest number of workers in the roster
	speedWindow       = 16                    // number of heartbeats over which a worker's speed is averaged
)

// A roster lists the workers that have joined the hub, with their state and speed. The
// hub writes what people want to know of them to a file. A worker that is forgotten because there
// are too many joins again.
type roster struct {
	path string // the file; see run.Workers; "" for none

	mu      sync.Mutex
	members map[string]*member // by name; guarded by mu
	changed bool               // the file is out of date; guarded by mu
	awaited map[string]bool    // the workers of an earlier hub that have not said hello yet; guarded by mu
}

// A member is a worker and its last heartbeat.
type member struct {
	run.Worker
	left    bool      // it has said that it leaves
	invalid int       // its invalid results, less its new ones
	beats   int       // the number of its heartbeats
	beat    time.Time // when the last one came
	games   int       // played up to that
}

// newRoster returns an empty roster, and removes the file of an earlier hub from a folder. The
// workers that were present when that was written are awaited.
func newRoster(dir string) (*roster, error) {
	c := &roster{members: map[string]*member{}, awaited: map[string]bool{}}
	if dir == "" {
		return c, nil
	}
	c.path = filepath.Join(dir, filepath.Base(run.WorkersPath))
	old, _ := run.ReadWorkers(c.path) // of a file that cannot be read nobody is awaited
	for _, w := range old.Workers {
		if w.Refused == "" && old.Time.Sub(w.Seen) < awayAfter {
			c.awaited[w.Name] = true
		}
	}
	if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return c, nil
}

// join adds a worker that asks to be let in. refused is the reason why it is refused; "" if it is let
// in.
func (c *roster) join(name string, who hello, refused string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.members[name] == nil && len(c.members) >= maxRoster {
		c.forget()
	}
	now := time.Now()
	m := &member{Worker: run.Worker{Name: name, Program: workerName(who.Program), System: workerName(who.System), Joined: now, Seen: now, Refused: refused}}
	if old := c.members[name]; old != nil {
		m.Tasks, m.Games, m.invalid = old.Tasks, old.Games, old.invalid
	}
	c.members[name], c.changed = m, true
}

// forget removes the member that has said nothing since it joined, or nothing for the longest time
// if all have. The caller holds c.mu.
func (c *roster) forget() {
	var oldest *member
	for _, m := range c.members {
		if oldest == nil || m.isSilent() && !oldest.isSilent() || m.isSilent() == oldest.isSilent() && m.Seen.Before(oldest.Seen) {
			oldest = m
		}
	}
	delete(c.members, oldest.Name)
}

// isSilent reports whether no heartbeat has come yet.
func (m *member) isSilent() bool { return m.beats == 0 }

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
	var p heartbeat
	if len(msg.Data) > maxMessage || bounded.Unmarshal(msg.Data, &p) != nil || !isFrom(msg, p.Worker) {
		return
	}
	h.roster.update(p.Worker, func(m *member) {
		m.left = p.Leaves
		m.Goroutines, m.Held = p.Goroutines, p.Held
		if took := m.Seen.Sub(m.beat).Seconds(); m.beats > 0 && took > 0 {
			m.GamesPerSecond += (float64(p.Totals.Games-m.games)/took - m.GamesPerSecond) / float64(min(m.beats, speedWindow))
		}
		m.beats, m.games, m.beat = m.beats+1, p.Totals.Games, m.Seen
	})
}

// countInvalid counts an invalid result of the worker with an identity.
func (c *roster) countInvalid(id string) (worker string, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, m := range c.members {
		if identity(name) == id {
			m.invalid++
			return name, m.invalid
		}
	}
	return "of no name", 0
}

// countResult adds an accepted result to what its worker has done.
func (c *roster) countResult(r result) {
	c.update(r.Worker, func(m *member) {
		m.Tasks++
		m.Games += r.Totals.Games
		m.invalid = max(0, m.invalid-1)
	})
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
func (m *member) works() bool { return m.Refused == "" && !m.left && time.Since(m.Seen) < awayAfter }

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

// another returns a worker that works and has another key than the one named except; "" if there is
// none. chance, from 0 to 1, chooses among them.
func (c *roster) another(except string, chance float64) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var others []string
	for name, m := range c.members {
		if m.works() && run.KeyOf(name) != run.KeyOf(except) {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return ""
	}
	slices.Sort(others)
	return others[int(chance*float64(len(others)))]
}

// write writes the file, if there are workers and anything has changed; over says that the
// hub ends.
func (c *roster) write(over bool) error {
	c.mu.Lock()
	w := run.Workers{Time: time.Now().UTC(), Over: over}
	for _, m := range c.members {
		w.Workers = append(w.Workers, m.Worker)
	}
	changed := c.changed || over && len(w.Workers) > 0
	c.changed = false
	c.mu.Unlock()
	if !changed || c.path == "" {
		return nil
	}
	slices.SortFunc(w.Workers, func(a, b run.Worker) int { return cmp.Compare(a.Name, b.Name) })
	if err := os.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
		return err
	}
	return run.WriteWorkers(c.path, w)
}

// writeRoster writes the roster's file every heartbeatInterval until ctx ends, and then once
// more to say that the hub has ended.
func (h *Hub) writeRoster(ctx context.Context) {
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-ctx.Done():
			over = true
		case <-tick.C:
		}
		if err := h.closeGuests(); err != nil {
			h.opt.Log.Debug("a connection was already closed", "error", err)
		}
		if err := h.roster.write(over); err != nil {
			h.opt.Log.Warn("who works could not be written down", "error", err)
		}
	}
}
