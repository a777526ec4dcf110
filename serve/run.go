package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/train"
)

// Snapshot is the state of a run, or only what has changed in it since a certain time.
type Snapshot struct {
	Run         string `json:"run"` // identifies the run
	Game        string `json:"game"`
	Program     string `json:"program"` // version of the program that started the run
	Network     string `json:"network"`
	Simulations int    `json:"simulations"` // simulations for each move of self-play
	Seed        uint64 `json:"seed"`
	Planned     int    `json:"planned"` // number of generations that the run will have
	// Config is the whole configuration. Its TypeScript type lists only what the pages use.
	Config      json.RawMessage   `json:"config" ts:"{ gate?: { ladder?: number } }"`
	From        int               `json:"from"` // generation of the first element of Generations
	Generations []json.RawMessage `json:"generations" ts:"Metrics[]"`
	Ladder      Ladder            `json:"ladder"`
	Solved      []Solved          `json:"solved"` // results in solved positions, of all generations
	Stage       train.Stage       `json:"stage"`
	Workers     *rundir.Workers   `json:"workers,omitempty"` // workers of the process that trains; nil if it uses none
	Error       string            `json:"error,omitempty"`   // why the run cannot be read now
}

// Ladder holds the ratings of the run's models; see train.Strengths.
type Ladder struct {
	Zero  string           `json:"zero"` // player whose rating is 0; "" before the first match
	Rungs []train.Strength `json:"rungs"`
}

// A watched run holds what the server has read from the folder of a run. The server's mutex guards
// it.
type watched struct {
	Snapshot // the state so far; From, Generations and Ladder are not set
	folder   rundir.Folder
	// live returns the current stage of the run. It is nil unless this process trains the run.
	live func() *train.Stage

	cluster rundir.Workers // the file of the workers, also if it lists none
	played  int            // number of games of the next generation that are played

	stamps  map[string]stamp // for each path, the stamp of the file when it was last read
	config  configs.Config
	rated   *Ladder // computed from records when a request needs it; else nil
	records []record

	changed uint64 // value of the server's change counter when the run last changed
}

// A record holds what the server has read about one complete generation.
type record struct {
	text    json.RawMessage
	metrics train.Metrics
	read    uint64 // value of the server's change counter when it was read
}

// A stamp is a file's size and modification time. If the stamp of a file has not changed, the
// server assumes that the file has not changed. The zero stamp means that the file does not exist.
type stamp struct {
	size int64
	time time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// refresh reads the files of the folder that have changed, and reports whether anything is new. The
// parameter clock is the current value of the server's change counter. Most calls read nothing and
// only check the stamps of a few files.
func (w *watched) refresh(clock uint64) bool {
	before, text := w.Stage, w.Error
	changed, err := w.read(clock)
	w.Error = ""
	if err != nil {
		w.Error = err.Error()
	}
	w.findStage()
	if !changed && before == w.Stage && text == w.Error {
		return false
	}
	w.changed = clock
	return true
}

// read reads the files that have changed and stops at the first error.
func (w *watched) read(clock uint64) (changed bool, err error) {
	// If the file of the newest record has changed, the folder may now hold a different run.
	if n := len(w.records); n > 0 && stampOf(w.folder.Record(n-1)) != w.stamps[w.folder.Record(n-1)] {
		for g := range w.records {
			delete(w.stamps, w.folder.Record(g))
		}
		w.records, w.rated, changed = nil, nil, true
	}
	renew := func(path string, read func() error) (renewed bool) {
		if err == nil {
			renewed, err = w.renew(path, read)
			changed = changed || renewed
		}
		return renewed
	}
	renew(w.folder.Path(rundir.WorkersPath), w.readWorkers)
	renew(w.folder.ConfigPath(), w.readConfig)
	for renew(w.folder.Record(len(w.records)), func() error { return w.readRecord(clock) }) {
	}
	renew(w.folder.Solved(), func() (err error) { w.Solved, err = readSolved(w.folder); return err })
	return changed, err
}

// If the file at path has changed since it was last read successfully, renew calls read.
func (w *watched) renew(path string, read func() error) (renewed bool, err error) {
	now := stampOf(path)
	if now == w.stamps[path] {
		return false, nil
	}
	delete(w.stamps, path)
	if err := read(); err != nil {
		return false, err
	}
	w.stamps[path] = now
	return true, nil
}

func (w *watched) readConfig() error {
	frozen, err := configs.Thaw(w.folder)
	if err != nil {
		return err
	}
	c := frozen.Config
	w.config, w.Program = c, frozen.Program
	w.Game, w.Network, w.Simulations, w.Seed, w.Planned = c.Game, c.Network.Model().Sizes(), c.MCTS.Simulations, c.Seed, c.Train.Generations
	w.Config, err = c.JSON()
	return err
}

// readRecord reads the next record after the ones in w.records.
func (w *watched) readRecord(clock uint64) error {
	g := len(w.records)
	text, err := w.folder.ReadRecord(g)
	if err != nil {
		return err
	}
	m, err := train.ParseRecord(w.folder, g, text)
	if err != nil {
		return err
	}
	w.records = append(w.records, record{text, m, clock})
	if len(m.Ladder.Meetings) > 0 {
		w.rated = nil // recomputed on demand, because rating hundreds of models takes a while
	}
	return nil
}

// readWorkers reads the file that lists the workers. If it cannot be read, the server shows no
// workers.
func (w *watched) readWorkers() error {
	var err error
	w.Workers = nil
	if w.cluster, err = w.folder.Workers(); err != nil {
		w.cluster = rundir.Workers{}
	}
	if all := w.cluster; len(all.Workers) > 0 {
		w.Workers = &all
	}
	return nil
}

// findStage determines the current stage of the run. If this process trains the run, findStage asks
// the trainer; otherwise it infers the stage from the files.
func (w *watched) findStage() {
	g, c := len(w.records), w.config
	w.Stage = train.Stage{Generation: g, Name: "complete", Written: w.stamps[w.folder.Record(g-1)].time}
	w.played = 0
	if g >= c.Train.Generations {
		return
	}
	w.Stage.Name, w.Stage.Total = "self-play", c.Selfplay.Games
	shards, _ := w.folder.ShardsOf(g) // empty before the first shard
	w.Stage.Done = min(len(shards)*c.Selfplay.ShardGames, c.Selfplay.Games)
	w.played = w.Stage.Done
	w.noteWritten(stampOf(w.folder.Samples(g)))
	if w.Stage.Done == w.Stage.Total {
		w.Stage.Name, w.Stage.Done, w.Stage.Total = "train", 0, 0
		if trainer := stampOf(w.folder.TrainerState(g)); trainer != (stamp{}) {
			w.Stage.Name = "gate"
			w.noteWritten(trainer)
		}
	}
	if w.live == nil {
		return
	}
	if live := w.live(); live != nil && live.Generation == g {
		if w.Stage = *live; live.Name == "self-play" {
			w.played = max(w.played, live.Done) // shards that are not complete have no files yet
		}
		w.Stage.Written = time.Now() // this process trains the run, even if it writes nothing
	}
}

// noteWritten sets Stage.Written to the modification time in s, unless Stage.Written is later.
func (w *watched) noteWritten(s stamp) {
	if s.time.After(w.Stage.Written) {
		w.Stage.Written = s.time
	}
}

// snapshotSince returns the run's state. It includes only the generations that the server has read
// since its change counter had the value clock.
func (w *watched) snapshotSince(clock uint64) Snapshot {
	s := w.Snapshot
	s.Ladder, s.Generations = w.ladder(), []json.RawMessage{}
	for s.From < len(w.records) && w.records[s.From].read <= clock {
		s.From++
	}
	for _, r := range w.records[s.From:] {
		s.Generations = append(s.Generations, r.text)
	}
	return s
}

// ladder returns the ratings of the run's models.
func (w *watched) ladder() Ladder {
	if w.rated == nil {
		var done []train.Metrics
		for _, r := range w.records {
			done = append(done, r.metrics)
		}
		zero, rungs := train.Strengths(done)
		// An empty list must be [] in JSON, not null.
		w.rated = &Ladder{zero, append([]train.Strength{}, rungs...)}
	}
	return *w.rated
}

// getRuns answers with the runs that have changed since the clock value in the request. It answers
// immediately, even if nothing has changed. Pages ask once a second and keep no connection open,
// because a browser opens at most six connections to a server for all its tabs together.
func (s *Server) getRuns(r *http.Request) (any, error) {
	s.refresh()
	return s.news(r.FormValue("since")), nil
}

// News holds what has changed since the server's change counter had a certain value.
type News struct {
	Clock string     `json:"clock"` // the current time; the client sends it with its next request
	IDs   []string   `json:"ids"`   // ids of all runs
	Runs  []Snapshot `json:"runs"`  // what has changed, for each run with changes
}

// news returns what has changed since the clock value of an earlier answer. If since is not a clock
// value of this server, news returns everything.
func (s *Server) news(since string) News {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = time.Now()
	epoch, number, _ := strings.Cut(since, "-")
	clock, err := strconv.ParseUint(number, 10, 64)
	if epoch != s.epoch || err != nil || clock > s.clock {
		clock = 0
	}
	n := News{Clock: fmt.Sprintf("%s-%d", s.epoch, s.clock), IDs: []string{}, Runs: []Snapshot{}}
	for _, w := range s.runs {
		n.IDs = append(n.IDs, w.Run)
		if w.changed > clock {
			n.Runs = append(n.Runs, w.snapshotSince(clock))
		}
	}
	return n
}
