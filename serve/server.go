package serve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"dojo/model"
	"dojo/run"
	"dojo/web"
)

// DefaultListen is the address that is listened on if none is given.
const DefaultListen = "127.0.0.1:7531"

// Options is what a server is made of.
type Options struct {
	Runs   []run.Folder
	Models []*model.Checkpoint // to play and analyse with, besides those of the runs

	// Find lists runs that may come to be while the server runs; nil: none do. It is
	// called now and then, by one goroutine at a time.
	Find func() []run.Folder

	// Live tells the stage of the run Runs[0] if this process trains it; nil if
	// not. It is called often, by one goroutine at a time.
	Live func() (stage Stage, ok bool)
}

// Server is a server of some runs.
type Server struct {
	models   []source // those of Options
	finder   func() []run.Folder
	epoch    string // tells this server from those that were started before and after it
	files    map[string][]byte
	address  string // host and port that it listens on
	loopback bool   // the address is of this machine alone
	token    string // for what computes; "" on a loopback address
	index    index  // of the runs' games

	writeTimeout time.Duration
	heartbeat    time.Duration

	desks     desks         // of the models that are asked
	searches  chan struct{} // holds an entry for each search
	listeners chan struct{} // holds an entry for each client of events
	closing   chan struct{} // closed when the server shuts down

	mu      sync.Mutex
	runs    []*watched      // guarded by mu, with what they point to; but for id and folder
	ids     map[string]bool // of runs; guarded by mu
	listed  uint64          // when a run was last added, on the clock; guarded by mu
	clock   uint64          // number of refreshes that found something; guarded by mu
	looked  time.Time       // when the runs were refreshed last; guarded by mu
	changes chan struct{}   // closed when clock moves on; guarded by mu
}

// New returns a server for an address that [Server.Serve] will listen on. A folder
// without a run is an error.
func New(opt Options) (*Server, error) {
	s := &Server{
		finder: opt.Find, epoch: random(4), ids: map[string]bool{},
		writeTimeout: WriteTimeout, heartbeat: Heartbeat,
		desks:    desks{open: map[string]*desk{}},
		searches: make(chan struct{}, MaxSearches), listeners: make(chan struct{}, MaxListeners),
		closing: make(chan struct{}), changes: make(chan struct{}),
	}
	for _, c := range opt.Models {
		s.models = append(s.models, inBox(c))
	}
	for i, folder := range opt.Runs {
		if err := s.add(folder); err != nil {
			return nil, err
		}
		if i == 0 {
			s.runs[0].live = opt.Live
		}
	}
	var err error
	s.files, err = pages()
	return s, err
}

// add adds a run. A folder without one is an error.
func (s *Server) add(folder run.Folder) error {
	w := &watched{folder: folder}
	if _, err := w.reread(); err != nil {
		return err
	}
	w.id = unique(s.ids, folder)
	s.runs = append(s.runs, w)
	return nil
}

// discover adds the runs that have come to be, and reports whether there are any.
func (s *Server) discover() (found bool) {
	if s.finder == nil {
		return false
	}
	for _, folder := range s.finder() {
		known := slices.ContainsFunc(s.runs, func(w *watched) bool { return w.folder == folder })
		if !known && s.add(folder) == nil { // a run that is just being made is there the next time
			found = true
		}
	}
	return found
}

// unique is an id for a run that no other run has: the name of its folder, with a
// number behind it if that is taken.
func unique(taken map[string]bool, folder run.Folder) string {
	name := folder.Base()
	if path, err := filepath.Abs(string(folder)); err == nil {
		name = filepath.Base(path)
	}
	id := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/?#%:", r) {
			return '_'
		}
		return r
	}, name)
	for n := 2; taken[id]; n++ {
		id = fmt.Sprintf("%s-%d", name, n)
	}
	taken[id] = true
	return id
}

// pages are the files that the server hands out, by name.
func pages() (map[string][]byte, error) {
	text, err := json.Marshal(web.Site{Backend: "server", Pages: []string{"runs", "games", "play"}})
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{web.SiteFile: text}
	err = fs.WalkDir(web.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = fs.ReadFile(web.Files(), name)
		}
		return err
	})
	return files, err
}

func random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails, says its documentation
	return hex.EncodeToString(b)
}

// Serve answers on the listener until ctx ends, and calls ready with the address to
// open in a browser when it can be opened.
func (s *Server) Serve(ctx context.Context, l net.Listener, ready func(url string)) error {
	s.bind(l.Addr())
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          silent,
	}
	watching, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { s.watch(watching) })
	wg.Go(func() {
		<-watching.Done()
		close(s.closing)
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(soon) != nil {
			_ = server.Close() // whoever is slow is cut off
		}
	})
	ready(s.url())
	err := server.Serve(l)
	stop()
	wg.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve: %w", err)
}

// bind notes the address that the server listens on, which decides who may ask.
func (s *Server) bind(addr net.Addr) {
	s.address = addr.String()
	tcp, ok := addr.(*net.TCPAddr)
	s.loopback = ok && tcp.IP.IsLoopback()
	if !s.loopback {
		s.token = random(16)
	}
}

// url is the address to open in a browser. Where the server listens on all addresses
// of the machine it names the loopback one.
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

// pollInterval is the time between two looks at the runs' folders, while somebody
// listens.
const pollInterval = time.Second

// watch refreshes the runs while there are listeners.
func (s *Server) watch(ctx context.Context) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if len(s.listeners) > 0 {
				s.refresh()
			}
		}
	}
}

// refresh looks at all runs, unless that was done a moment ago.
func (s *Server) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.looked) < pollInterval/2 {
		return
	}
	changed := s.discover()
	if changed {
		s.listed = s.clock + 1
	}
	for _, w := range s.runs {
		changed = w.refresh(s.clock+1) || changed
	}
	s.looked = time.Now()
	if changed {
		s.clock++
		close(s.changes)
		s.changes = make(chan struct{})
	}
}

// byID finds a run.
func (s *Server) byID(id string) *watched {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.runs {
		if w.id == id {
			return w
		}
	}
	return nil
}
