package serve

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
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

// DefaultListen is the address on which a server listens if the user names none.
const DefaultListen = "127.0.0.1:7531"

// Options configures a server.
type Options struct {
	Runs   []rundir.Folder
	Models []*model.Checkpoint // models for play and analysis, in addition to those of the runs
	Games  string              // folder for finished games; "" to keep none

	// Hosts lists additional host names and IP addresses under which browsers reach the server,
	// such as the name of a proxy. They do not include ports.
	Hosts []string

	// BasePath is the path of the pages, such as "/dojo", if a proxy passes on only the requests
	// below this path. See CheckBasePath.
	BasePath string

	// Trusted lists the addresses of proxies that set the headers X-Forwarded-Host and
	// X-Forwarded-Proto. The server ignores these headers if anyone else sends them.
	Trusted []netip.Prefix

	// Token is the token that requests need to make the server compute; see CheckToken. If it is
	// "", the server creates one if other machines can reach it.
	Token string

	// TLS encrypts all connections. If it is nil, connections are not encrypted.
	TLS *tls.Config

	// Health answers requests for /healthz, /readyz and /metrics, also if there is a BasePath. It
	// may be nil. The server does not check the host names and the origins of these requests.
	Health http.Handler

	// Find lists the runs that exist now. With it, the server discovers new runs. The server calls
	// it at most twice a second, and from one goroutine at a time. If Find is nil, the server adds
	// no new runs.
	Find func() []rundir.Folder

	// Live is set if this process trains the run Runs[0]. It returns the current stage of that run,
	// or nil if there is none.
	Live func() *train.Stage
}

// Server serves runs over HTTP.
type Server struct {
	models []Model // models that do not belong to a run
	finder func() []rundir.Folder
	// epoch is the random part of this server's clock values. It distinguishes them from the clock
	// values of other servers.
	epoch   string
	site    []byte   // content of web.SiteFile
	kept    string   // folder for finished games, or ""
	address string   // host and port on which the server listens
	open    bool     // whether other machines can reach the server
	hosts   []string // Options.Hosts
	base    string   // Options.BasePath
	trusted []netip.Prefix
	tls     *tls.Config
	health  http.Handler
	// Requests that make the server compute must contain token, unless it is "". If secret is set,
	// the user named the token, so the server does not print it.
	token  string
	secret bool
	games  *cache[[]Listed] // lists of games, by the file of the games

	writeTimeout time.Duration

	trains   bool // whether this process trains a run
	loaded   *cache[*analysis.Analyser]
	memory   *analysis.Memory
	searches chan struct{}   // holds an element for each running search
	opinions *cache[Opinion] // opinions of the models of runs

	mu   sync.Mutex
	runs []*watched      // guarded by mu, together with the runs themselves
	ids  map[string]bool // ids in use; guarded by mu
	// clock is the change counter: the number of refreshes that found something new. Guarded by mu.
	clock     uint64
	refreshed time.Time // when the last refresh was; guarded by mu
	asked     time.Time // when a page last asked for news; guarded by mu
}

// New returns a server. The caller starts it with [Server.Serve]. If a folder has no run, New
// returns an error. The server lists damaged runs after the others and shows what is wrong with
// them.
func New(opt Options) (*Server, error) {
	s := &Server{
		finder: opt.Find, epoch: rand.Text(), ids: map[string]bool{},
		hosts: opt.Hosts, base: opt.BasePath, trusted: opt.Trusted, tls: opt.TLS, health: opt.Health,
		token: opt.Token, secret: opt.Token != "",
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

// treeMemory returns how many bytes the trees of all searches may use together. This is all the
// memory that the process may use for trees or, if the process also trains a run, a quarter of it,
// and at most 2 GiB.
func treeMemory(trains bool) int64 {
	n := int64(memory.ForTrees())
	if trains {
		n = min(n/4, 2<<30)
	}
	return n
}

// add adds a run to the server. If the folder has no run, add returns an error. If the run's
// configuration cannot be read, the pages show the run with the reason.
func (s *Server) add(folder rundir.Folder) error {
	none := Snapshot{Config: json.RawMessage("{}"), Solved: []Solved{}} // until the files are read
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

// discover adds the runs that are new, and reports whether there are any.
func (s *Server) discover() (found bool) {
	if s.finder == nil {
		return false
	}
	for _, folder := range s.finder() {
		known := slices.ContainsFunc(s.runs, func(w *watched) bool { return w.folder == folder })
		// An error means that the run is still being created. The next call tries again.
		if !known && s.add(folder) == nil {
			found = true
		}
	}
	return found
}

// plain replaces the characters that have a special meaning in a URL path or a file name.
var plain = strings.NewReplacer("/", "_", "?", "_", "#", "_", "%", "_", ":", "_")

// uniqueID returns an id for a run: the name of its folder. If another run already has this id,
// uniqueID appends a number.
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

// refreshInterval is the shortest time between two checks of the runs' folders.
const refreshInterval = time.Second / 2

// refresh reads what has changed in all runs, unless the last refresh was less than refreshInterval
// ago.
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

// lookAgain makes the server check the folders before its next answer, even if the last check was
// less than refreshInterval ago. It returns the time since a page last asked for news.
func (s *Server) lookAgain() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refreshed = time.Time{}
	return time.Since(s.asked)
}

// requestedRun returns the current state of the run that the URL path of a request names.
func (s *Server) requestedRun(r *http.Request) (watched, error) {
	id := r.PathValue("run")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.runs {
		if w.Run == id {
			return *w, nil
		}
	}
	return watched{}, statusError{fmt.Errorf("run %q not found", id), http.StatusNotFound}
}
