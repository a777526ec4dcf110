package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func (s *Server) getRuns(w http.ResponseWriter, _ *http.Request) {
	s.refresh()
	answer(w, map[string]any{"runs": s.Snapshots()})
}

// Snapshots returns all that is known of each run.
func (s *Server) Snapshots() []Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []Snapshot{}
	for _, w := range s.runs {
		all = append(all, w.snapshotSince(0))
	}
	return all
}

// news has the changes since a certain time on the server's clock of changes.
type news struct {
	ids   []string        // the ids of all runs; nil if there are no new runs
	runs  []Snapshot      // the changes, for each run that has changed
	clock uint64          // the present time: a client that gets the news knows everything up to it
	more  <-chan struct{} // closed when something changes again
}

// news returns the changes since clock.
func (s *Server) news(clock uint64) news {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := news{clock: s.clock, more: s.changes}
	for _, w := range s.runs {
		if s.runsChanged > clock {
			n.ids = append(n.ids, w.id)
		}
		if w.changed > clock {
			n.runs = append(n.runs, w.snapshotSince(clock))
		}
	}
	return n
}

// runIDs returns the ids of all runs.
func (s *Server) runIDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := []string{}
	for _, w := range s.runs {
		ids = append(ids, w.id)
	}
	return ids
}

// minPause is the shortest time between two sets of events to a client.
const minPause = 200 * time.Millisecond

// getEvents sends server-sent events until the client disconnects. Events are made when the
// client is ready to receive them, so that nothing queues up for a slow one.
func (s *Server) getEvents(w http.ResponseWriter, r *http.Request) {
	select {
	case s.listeners <- struct{}{}:
		defer func() { <-s.listeners }()
	default:
		fail(w, http.StatusServiceUnavailable, errors.New("too many pages are listening"))
		return
	}
	s.refresh()
	c := s.client(w)
	w.Header().Set("Content-Type", "text/event-stream")
	clock := s.clockOf(r.Header.Get("Last-Event-ID"))
	if c.send(clock, "runs", map[string]any{"runs": s.runIDs()}) != nil {
		return
	}
	for {
		n := s.news(clock)
		if c.sendNews(clock, n) != nil {
			return
		}
		clock = n.clock
		if !s.waitForNews(r, c, clock, n.more) {
			return
		}
	}
}

// sendNews sends news to a client that knows everything up to clock.
func (c *client) sendNews(clock uint64, n news) error {
	if n.ids != nil {
		if err := c.send(clock, "runs", map[string]any{"runs": n.ids}); err != nil {
			return err
		}
	}
	for i, snapshot := range n.runs {
		if i == len(n.runs)-1 {
			clock = n.clock // only with the last event does the client know everything
		}
		if err := c.send(clock, "run", snapshot); err != nil {
			return err
		}
	}
	return nil
}

// waitForNews waits until more is closed, but at least minPause, and returns true. It returns
// false when the client disconnects or the server ends. While it waits it sends a beat every
// Heartbeat.
func (s *Server) waitForNews(r *http.Request, c *client, clock uint64, more <-chan struct{}) bool {
	rest := time.NewTimer(minPause)
	defer rest.Stop()
	beat := time.NewTicker(s.heartbeat)
	defer beat.Stop()
	for rested, ready := false, false; !rested || !ready; {
		select {
		case <-r.Context().Done():
			return false
		case <-s.closing:
			return false
		case <-rest.C:
			rested = true
		case <-more:
			more, ready = nil, true
		case <-beat.C:
			if c.send(clock, "beat", struct{}{}) != nil {
				return false
			}
		}
	}
	return true
}

// clockOf returns the time up to which a client knows the changes if last is the id of the last
// event that it got; 0 if that event was sent by another server.
func (s *Server) clockOf(last string) uint64 {
	epoch, text, _ := strings.Cut(last, "-")
	clock, err := strconv.ParseUint(text, 10, 64)
	s.mu.Lock()
	defer s.mu.Unlock()
	if epoch != s.epoch || err != nil || clock > s.clock {
		return 0
	}
	return clock
}

// A client is the receiver of an answer that takes long.
type client struct {
	s  *Server
	w  http.ResponseWriter
	rc *http.ResponseController
}

// client prepares an answer that may take longer than the server's usual limits.
func (s *Server) client(w http.ResponseWriter) *client {
	c := &client{s, w, http.NewResponseController(w)}
	_ = c.rc.SetReadDeadline(time.Time{}) // a recorder in tests has none
	return c
}

// send sends one event. It is an error if the client does not receive it in time.
func (c *client) send(clock uint64, event string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return c.write(fmt.Appendf(nil, "id: %s-%d\nevent: %s\ndata: %s\n\n", c.s.epoch, clock, event, text))
}

// write sends a piece of the answer immediately.
func (c *client) write(text []byte) error {
	_ = c.rc.SetWriteDeadline(time.Now().Add(c.s.writeTimeout)) // a recorder in tests has none
	if _, err := c.w.Write(text); err != nil {
		return err
	}
	return c.rc.Flush()
}
