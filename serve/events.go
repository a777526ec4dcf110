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

// Snapshots are all that is known of the runs.
func (s *Server) Snapshots() []Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []Snapshot{}
	for _, w := range s.runs {
		all = append(all, w.since(0))
	}
	return all
}

// news is what is new to a client that knows all as it was at clock.
type news struct {
	ids   []string        // of all runs; nil if they are the same
	runs  []Snapshot      // in which something has changed
	clock uint64          // of what the client knows then
	more  <-chan struct{} // closed when there is more
}

func (s *Server) news(clock uint64) news {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := news{clock: s.clock, more: s.changes}
	for _, w := range s.runs {
		if s.listed > clock {
			n.ids = append(n.ids, w.id)
		}
		if w.changed > clock {
			n.runs = append(n.runs, w.since(clock))
		}
	}
	return n
}

// all are the ids of all runs.
func (s *Server) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := []string{}
	for _, w := range s.runs {
		ids = append(ids, w.id)
	}
	return ids
}

// pause is the least time between two sets of events to a client.
const pause = 200 * time.Millisecond

// getEvents sends server-sent events until the client goes. What a client is sent is
// made when it is ready for it, so that nothing queues up for a slow one.
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
	clock := s.resume(r.Header.Get("Last-Event-ID"))
	if c.send(clock, "runs", map[string]any{"runs": s.all()}) != nil {
		return
	}
	for {
		n := s.news(clock)
		if c.tell(clock, n) != nil {
			return
		}
		clock = n.clock
		if !s.wait(r, c, clock, n.more) {
			return
		}
	}
}

// tell sends what is new to a client that knows all as it was at clock.
func (c *client) tell(clock uint64, n news) error {
	if n.ids != nil {
		if err := c.send(clock, "runs", map[string]any{"runs": n.ids}); err != nil {
			return err
		}
	}
	for i, snapshot := range n.runs {
		if i == len(n.runs)-1 {
			clock = n.clock // only with the last event does the client know all
		}
		if err := c.send(clock, "run", snapshot); err != nil {
			return err
		}
	}
	return nil
}

// wait returns when there is more to tell, and false when the client or the server is
// gone. Meanwhile it sends the client a beat now and then.
func (s *Server) wait(r *http.Request, c *client, clock uint64, more <-chan struct{}) bool {
	rest := time.NewTimer(pause)
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

// resume is how far the client with this last event knows the runs: 0, not at all, if
// the event was of another server.
func (s *Server) resume(last string) uint64 {
	epoch, text, _ := strings.Cut(last, "-")
	clock, err := strconv.ParseUint(text, 10, 64)
	s.mu.Lock()
	defer s.mu.Unlock()
	if epoch != s.epoch || err != nil || clock > s.clock {
		return 0
	}
	return clock
}

// A client is the other end of an answer that takes long.
type client struct {
	s  *Server
	w  http.ResponseWriter
	rc *http.ResponseController
}

// client begins an answer that may take longer than the server's limits for others.
func (s *Server) client(w http.ResponseWriter) *client {
	c := &client{s, w, http.NewResponseController(w)}
	_ = c.rc.SetReadDeadline(time.Time{}) // a recorder in tests has none
	return c
}

// send sends one event. A client that does not take it in time is an error.
func (c *client) send(clock uint64, event string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return c.write(fmt.Appendf(nil, "id: %s-%d\nevent: %s\ndata: %s\n\n", c.s.epoch, clock, event, text))
}

// write writes a piece of a stream at once.
func (c *client) write(text []byte) error {
	_ = c.rc.SetWriteDeadline(time.Now().Add(c.s.writeTimeout)) // a recorder in tests has none
	if _, err := c.w.Write(text); err != nil {
		return err
	}
	return c.rc.Flush()
}
