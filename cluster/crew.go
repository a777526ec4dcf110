package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"dojo/run"
	"dojo/selfplay"

	"github.com/nats-io/nats.go"
)

// A pulse is what a worker says of itself, every beat.
type pulse struct {
	Worker     string          `json:"worker"`
	Goroutines int             `json:"goroutines"`
	Held       int             `json:"held"` // tasks that it is working on
	Totals     selfplay.Totals `json:"totals"`
}

const (
	beat    = 2 * time.Second
	away    = 5 * beat // a worker that has not been heard of for so long is away
	maxCrew = 1000     // workers that are written down
	memory  = 16       // pulses by which a worker's speed is measured
)

// A crew is what the hub knows of its workers. It writes that down for whoever watches;
// nothing else depends on it.
type crew struct {
	path  string // of the file, see run.Workers
	names names

	mu      sync.Mutex
	members map[string]*member // by name; guarded by mu
	changed bool               // since it was last written; guarded by mu
}

// A member is a worker and its last pulses.
type member struct {
	run.Worker
	games []int
	times []time.Time
}

// newCrew returns a crew of nobody, and removes what a hub before this one wrote.
func newCrew(dir string, n names) (*crew, error) {
	c := &crew{names: n, path: filepath.Join(dir, filepath.Base(run.WorkersPath)), members: map[string]*member{}}
	if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return c, nil
}

// joined notes a worker that asks to be let in, and why it is refused, if it is.
func (c *crew) joined(name string, who hello, refused string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.members[name] == nil && len(c.members) >= maxCrew {
		return
	}
	now := time.Now()
	m := &member{Worker: run.Worker{Name: name, Program: workerName(who.Program), System: workerName(who.System), Joined: now, Seen: now, Refused: refused}}
	if old := c.members[name]; old != nil {
		m.Tasks, m.Games = old.Tasks, old.Games
	}
	c.members[name], c.changed = m, true
}

// beats takes a worker's pulse.
func (c *crew) beats(msg *nats.Msg) {
	var p pulse
	if len(msg.Data) > maxMessage || json.Unmarshal(msg.Data, &p) != nil || msg.Subject != c.names.pulseSubject(p.Worker) {
		return
	}
	c.update(p.Worker, func(m *member) {
		m.Goroutines, m.Held = p.Goroutines, p.Held
		m.games, m.times = append(m.games, p.Totals.Games), append(m.times, m.Seen)
		if drop := len(m.games) - memory; drop > 0 {
			m.games, m.times = m.games[drop:], m.times[drop:]
		}
		last := len(m.games) - 1
		if took := m.times[last].Sub(m.times[0]).Seconds(); took > 0 {
			m.GamesPerSecond = float64(m.games[last]-m.games[0]) / took
		}
	})
}

// accepted counts a result.
func (c *crew) accepted(r result) {
	c.update(r.Worker, func(m *member) {
		m.Tasks++
		m.Games += r.Totals.Games
	})
}

// refused notes why a worker was cut off.
func (c *crew) refused(name, why string) {
	c.update(name, func(m *member) { m.Refused = why })
}

// update changes what is known of a worker that has just been heard of, if it has joined.
func (c *crew) update(name string, change func(*member)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.members[name]; m != nil {
		m.Seen, c.changed = time.Now(), true
		change(m)
	}
}

// atWork is the number of workers that are there, beside the one with the name except.
func (c *crew) atWork(except string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, m := range c.members {
		if name != except && m.Refused == "" && time.Since(m.Seen) < away {
			n++
		}
	}
	return n
}

// write writes the crew down, if there is one and anything has changed; over says that
// the hub ends.
func (c *crew) write(over bool) error {
	c.mu.Lock()
	w := run.Workers{Time: time.Now().UTC(), Over: over}
	for _, m := range c.members {
		w.Workers = append(w.Workers, m.Worker)
	}
	changed := c.changed || over && len(w.Workers) > 0
	c.changed = false
	c.mu.Unlock()
	if !changed {
		return nil
	}
	slices.SortFunc(w.Workers, func(a, b run.Worker) int { return cmp.Compare(a.Name, b.Name) })
	if err := os.MkdirAll(filepath.Dir(c.path), 0o755); err != nil {
		return err
	}
	return run.WriteWorkers(c.path, w)
}

// writeCrew writes the crew down every beat until ctx ends, and then that it is over.
func (h *Hub) writeCrew(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-ctx.Done():
			over = true
		case <-tick.C:
		}
		if err := h.crew.write(over); err != nil {
			h.opt.Log.Warn("who works could not be written down", "error", err)
		}
	}
}

// beat tells the hub every beat what the worker does, until ctx ends.
func (w *worker) beat(ctx context.Context, conn *nats.Conn, subject string, q *queue) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		p := pulse{Worker: w.opt.Name, Goroutines: w.opt.Workers, Held: q.count(), Totals: w.meter.totals()}
		_ = conn.Publish(subject, mustJSON(p)) // whoever watches misses it; nothing else does
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
