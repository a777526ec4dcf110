package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// How long workers may keep all that is left of a lot from a trainer that has nothing to do. They
// renew their leases for as long as they like; see overdueAfter.
var (
	holdTime      = 30 * time.Second
	shortHoldTime = lease // once the trainer had to take tasks back
)

// overdueAfter is the time without a result after which the trainer takes tasks back: at least
// holdTime, and several times what the slowest task has taken in this process.
func (h *Hub) overdueAfter() time.Duration {
	least := holdTime
	if h.tookBack.Load() {
		least = shortHoldTime
	}
	return max(least, 4*h.localQueue.longestTask())
}

// takeBack has this process do the tasks that workers hold, if nothing else is left and no result
// has come for overdueAfter. They are posted again too, because some workers may be honest: those
// begin with the first task, and this process begins with the last. A result that comes twice
// counts once.
func (d *dispatch) takeBack(tasks *jetstream.ConsumerInfo) error {
	h := d.hub
	idle := time.Since(d.lastDone())
	if tasks.NumPending > 0 || tasks.NumAckPending == 0 || h.leavesTasksToWorkers() || h.localQueue.leasedCount() > 0 || idle < h.overdueAfter() {
		return nil
	}
	missing, err := d.store.missing()
	if err != nil {
		return err
	}
	h.opt.Log.Warn("no result has come, and workers hold all tasks that are left: the trainer does them itself", "lot", d.title,
		"for", idle.Round(time.Second), "tasks", tasks.NumAckPending, "held", h.roster.holders())
	h.tookBack.Store(true)
	d.takenBack.Store(true)
	d.noteDone()
	if err := d.post(); err != nil {
		return err
	}
	for _, n := range slices.Backward(missing) {
		h.localQueue.addLocal(d.task(n))
	}
	return nil
}

// noteDone notes that a result has come.
func (d *dispatch) noteDone() { d.doneAt.Store(time.Now().UnixNano()) }

// lastDone is when the last result came, or the dispatch began.
func (d *dispatch) lastDone() time.Time { return time.Unix(0, d.doneAt.Load()) }

// holders says which workers hold tasks, and since when, by their own heartbeats.
func (c *roster) holders() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var who []string
	for name, m := range c.members {
		if m.Held > 0 && m.Refused == "" {
			who = append(who, fmt.Sprintf("%s holds %d, the oldest for %v, and was heard %v ago", name, m.Held, m.oldest, time.Since(m.Seen).Round(time.Second)))
		}
	}
	if len(who) == 0 {
		return "no worker says that it holds any"
	}
	slices.Sort(who)
	return strings.Join(who, "; ")
}
