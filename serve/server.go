package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"dojo.example/data/rundir"
	"dojo.example/internal/memory"
	"dojo.example/model"
	"dojo.example/play/analysis"
	"dojo.example/serve/web"
	"dojo.example/train"
)

// DefaultListen is the address on which a server listens if none is given.
const DefaultListen = "127.0.0.1:7531"

// Options is what a server is made of.
type Options struct {
	Runs   []rundir.Folder
	Models []*model.Checkpoint // to play and analyse with, besides those of the runs
	Games  string              // folder in which finished games of people are kept; "" if they are not

	// Hosts are host names and IP addresses, without ports, under which browsers reach the server
	// besides its own: the name of a proxy, for example.
	Hosts []string

	// Find lists the runs that exist now, so that new ones appear while the server runs;
	// nil if there will be none. It is called at most every half second, by one goroutine
	// at a time.
	Find func() []rundir.Folder

	// Live returns the stage of the run Runs[0], or nil, if this process trains it; without it
	// this process does not.
	Live func() *train.Stage
}

// Server is a server of some runs.
type Server struct {
	models  []Model // those of Options
	finder  func() []rundir.Folder
	epoch   string           // random: distinguishes this server from earlier and later ones in the clocks of answers
	site    []byte           // web.SiteFile
	kept    string           // folder of finished games, or ""
	address string           // host and port that it listens on
	hosts   []string         // those of Options
	token   string           // must come with requests that compute; "" if only this machine reaches the address
	games   *cache[[]Listed] // of the runs

	writeTimeout time.Duration

	trains   bool // this process trains a run
	loaded   *cache[*analysis.Analyser]
	memory   *analysis.Memory
	searches chan struct{}   // holds an entry for each search
	opinions *cache[Opinion] // of the models of runs

	mu        sync.Mutex
	runs      []*watched      // guarded by mu, with what they point to
	ids       map[string]bool // of runs; guarded by mu
	clock     uint64          // the clock of changes: number of refreshes that found something; guarded by mu
	refreshed time.Time       // when the runs were refreshed last; guarded by mu
	asked     time.Time       // when a page asked for news last; guarded by mu
}

// New returns a server for an address that [Server.Serve] will listen on. A folder
// without a run is an error; a damaged run is shown as one, after the others.
func New(opt Options) (*Server, error) {
	s := &Server{
		finder: opt.Find, hosts: opt.Hosts, epoch: rand.Text(), ids: map[string]bool{},
		writeTimeout: WriteTimeout,
		trains:       opt.Live != nil,
		memory:       analysis.NewMemory(treeMemory(opt.Live != nil)),
		searches:     make(chan struct{}, MaxSearches),
		games:        newCache(2*MaxListed, 1, func(games []Listed) int { return len(games) }),
		loaded:       newCache(maxLoaded, 1, func(*analysis.Analyser) int { return 1 }),
		opinions:     newCache(maxOpinions, MaxSearches, func(Opinion) int { return 1 }),
	}
	for _, c := range opt.Models {
		s.models = append(s.models, s.inBox(c))
	}
	for i, folder := range opt.Runs {
		if err := s.add(folder); err != nil {
			return nil, err
		}
		if i == 0 {
			s.runs[0].live = opt.Live
		}
	}
	slices.SortStableFunc(s.runs, func(a, b *watched) int { return cmp.Compare(min(1, len(a.Error)), min(1, len(b.Error))) })
	if s.kept = opt.Games; s.kept != "" {
		if err := keepGames(s.kept); err != nil {
			return nil, err
		}
	}
	var err error
	s.site, err = json.Marshal(web.Site{Backend: "server", Pages: []string{"runs", "games", "play", "learn", "rules", "watch"}, Keeps: s.kept != ""})
	return s, err
}

// treeMemory returns the bytes that the trees of all searches may take: what the process may take, or
// a quarter of that, and at most 2 GiB, if it trains too.
func treeMemory(trains bool) int64 {
	n := int64(memory.ForTrees())
	if trains {
		n = min(n/4, 2<<30)
	}
	return n
}

// add adds a run. A folder without one is an error. A run whose configuration cannot be
// read is shown with the reason.
func (s *Server) add(folder rundir.Folder) error {
	none := Snapshot{Config: json.RawMessage("{}"), Solved: []Solved{}} // until they are read
	w := &watched{Snapshot: none, folder: folder, stamps: map[string]stamp{}}
	if err := w.readConfig(); errors.Is(err, rundir.ErrNoRun) {
		return err
	} else if err != nil {
		w.Error = err.Error()
	}
	w.Run = uniqueID(s.ids, folder)
	s.runs = append(s.runs, w)
	return nil
}

// discover adds runs that are new, and reports whether there are any.
func (s *Server) discover() (found bool) {
	if s.finder == nil {
		return false
	}
	for _, folder := range s.finder() {
		known := slices.ContainsFunc(s.runs, func(w *watched) bool { return w.folder == folder })
		if !known && s.add(folder) == nil { // a run that is just being created is added the next time
			found = true
		}
	}
	return found
}

// plain makes a name fit to be a part of a URL's path, or a file's name.
var plain = strings.NewReplacer("/", "_", "?", "_", "#", "_", "%", "_", ":", "_")

// uniqueID returns an id for a run: the name of its folder, with a number appended if that is
// taken.
func uniqueID(taken map[string]bool, folder rundir.Folder) string {
	path, err := filepath.Abs(string(folder))
	if err != nil {
		path = string(folder)
	}
	name := plain.Replace(filepath.Base(path))
	id := name
	for n := 2; taken[id]; n++ {
		id = fmt.Sprintf("%s-%d", name, n)
	}
	taken[id] = true
	return id
}

// Serve answers requests on the listener until ctx ends. It calls ready with the address to
// open in a browser as soon as the address can be opened.
func (s *Server) Serve(ctx context.Context, l net.Listener, ready func(url string)) error {
	s.setAddress(l.Addr())
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          silent,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }() // until Shutdown
	ready(s.url())
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(soon) != nil {
		_ = server.Close() // cuts off slow clients
	}
	return nil
}

// setAddress sets the address on which the server listens, on which it depends whether
// requests need a token.
func (s *Server) setAddress(addr net.Addr) {
	s.address = addr.String()
	if tcp, ok := addr.(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		s.token = rand.Text()
	}
}

// url returns the address to open in a browser. If the server listens on all addresses of the
// machine, it is the loopback one.
func (s *Server) url() string {
	host, port, _ := net.SplitHostPort(s.address)
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	url := "http://" + net.JoinHostPort(host, port) + "/"
	if s.token != "" {
		url += "#token=" + s.token
	}
	return url
}

// refreshInterval is the shortest time between two looks at the runs' folders.
const refreshInterval = time.Second / 2

// refresh reads what has changed in all runs, unless that was done a moment ago.
func (s *Server) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.refreshed) < refreshInterval {
		return
	}
	changed := s.discover()
	for _, w := range s.runs {
		changed = w.refresh(s.clock+1) || changed
	}
	s.refreshed = time.Now()
	if changed {
		s.clock++
	}
}

// lookAgain lets the next answer tell what is in the folders from now on, and returns how
// long no page has asked for news.
func (s *Server) lookAgain() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refreshed = time.Time{}
	return time.Since(s.asked)
}

// requestedRun returns the run that the path of a request names, as it is now.
func (s *Server) requestedRun(r *http.Request) (watched, error) {
	id := r.PathValue("run")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.runs {
		if w.Run == id {
			return *w, nil
		}
	}
	return watched{}, statusError{fmt.Errorf("there is no run %q", id), http.StatusNotFound}
}
