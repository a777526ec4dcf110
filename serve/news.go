package serve

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// getRuns answers with the runs that have changed since the clock that the client names. An
// answer ends at once: pages ask again every second, so that none keeps a connection. Browsers
// open six to a server for all their tabs together.
func (s *Server) getRuns(r *http.Request) (any, error) {
	s.refresh()
	news := s.news(s.clockOf(r.FormValue("since")))
	return map[string]any{"clock": fmt.Sprintf("%s-%d", s.epoch, news.clock), "ids": news.ids, "runs": news.runs}, nil
}

// news has the changes since a certain time on the server's clock of changes.
type news struct {
	ids   []string   // the ids of all runs
	runs  []Snapshot // the changes, for each run that has changed
	clock uint64     // the present time: a client that gets the news knows everything up to it
}

// news returns the changes since clock. Since 0 they are all that is known.
func (s *Server) news(clock uint64) news {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = time.Now()
	n := news{ids: []string{}, runs: []Snapshot{}, clock: s.clock}
	for _, w := range s.runs {
		n.ids = append(n.ids, w.id)
		if w.changed > clock {
			n.runs = append(n.runs, w.snapshotSince(clock))
		}
	}
	return n
}

// clockOf returns the time on the clock of changes that an answer gave as its clock; 0 if that
// answer came from another server.
func (s *Server) clockOf(text string) uint64 {
	epoch, number, _ := strings.Cut(text, "-")
	clock, err := strconv.ParseUint(number, 10, 64)
	s.mu.Lock()
	defer s.mu.Unlock()
	if epoch != s.epoch || err != nil || clock > s.clock {
		return 0
	}
	return clock
}
