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

// Snapshot is the state of a run, or the part of it that has changed since a certain time.
type Snapshot struct {
	Run         string            `json:"run"` // its id
	Game        string            `json:"game"`
	Program     string            `json:"program"` // the version that began the run
	Network     string            `json:"network"`
	Simulations int               `json:"simulations"` // for each move of self-play
	Seed        uint64            `json:"seed"`
	Planned     int               `json:"planned"`                                    // number of generations that the run will have
	Config      json.RawMessage   `json:"config" ts:"{ gate?: { ladder?: number } }"` // the whole configuration; here is what the pages ask for
	From        int               `json:"from"`                                       // the number of the first of Generations
	Generations []json.RawMessage `json:"generations" ts:"Metrics[]"`
	Ladder      Ladder            `json:"ladder"`
	Solved      []Solved          `json:"solved"` // of all generations that are known
	Stage       train.Stage       `json:"stage"`
	Workers     *rundir.Workers   `json:"workers,omitempty"` // the workers of the process that trains, if it uses any
	Error       string            `json:"error,omitempty"`   // why the run cannot be read now
}

// Ladder is how strong the run's models are; see train.Strengths.
type Ladder struct {
	Zero  string           `json:"zero"` // the player whose rating is 0; "" before the first match
	Rungs []train.Strength `json:"rungs"`
}

// A watched run holds what the server has read of a run's folder. The server's mutex
// guards it.
type watched struct {
	Snapshot // what is known, but for From, Generations and Ladder
	folder   rundir.Folder
	live     func() *train.Stage // the stage, if this process trains the run; nil if not

	stamps  map[string]stamp // by path: of what was read, then
	config  configs.Config
	rated   *Ladder // of the records; nil until it is asked for
	records []record

	changed uint64 // when anything was last changed, on the server's clock of changes
}

// A record is the record of a committed generation.
type record struct {
	text    json.RawMessage
	metrics train.Metrics
	read    uint64 // when it was read, on the server's clock of changes
}

// A stamp is a file's size and time of modification. A file whose stamp is unchanged is taken
// to be unchanged. The zero stamp stands for a missing file.
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

// refresh reads the files of the folder that have changed, and reports whether anything is
// new. clock is the time of the change on the server's clock. Most calls only look at the
// stamps of a few files and read nothing.
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

// read reads the files that have changed, until it finds an error.
func (w *watched) read(clock uint64) (changed bool, err error) {
	// If the newest record has changed, the folder may hold another run than before.
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

// renew calls read if the file at a path is not as it was when that last succeeded.
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

// readRecord reads the record after the last one.
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
		w.rated = nil // to rate hundreds of models takes a large part of a second
	}
	return nil
}

// readWorkers reads the file of workers. If it cannot be read, there are none.
func (w *watched) readWorkers() error {
	w.Workers = nil
	if all, err := w.folder.Workers(); err == nil && len(all.Workers) > 0 {
		w.Workers = &all
	}
	return nil
}

// findStage finds out which stage the run is in, from the files that are there or, if this
// process trains the run, by asking.
func (w *watched) findStage() {
	g, c := len(w.records), w.config
	w.Stage = train.Stage{Generation: g, Name: "complete", Written: w.stamps[w.folder.Record(g-1)].time}
	if g >= c.Train.Generations {
		return
	}
	w.Stage.Name, w.Stage.Total = "self-play", c.Selfplay.Games
	shards, _ := w.folder.ShardsOf(g) // none before the first
	w.Stage.Done = min(len(shards)*c.Selfplay.ShardGames, c.Selfplay.Games)
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
		w.Stage = *live
		w.Stage.Written = time.Now() // the run is alive, even if it has written nothing
	}
}

// noteWritten updates the stage's time of the newest file.
func (w *watched) noteWritten(s stamp) {
	if s.time.After(w.Stage.Written) {
		w.Stage.Written = s.time
	}
}

// snapshotSince returns the run's state, with only those generations that were read after
// clock.
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

// ladder rates the run's models.
func (w *watched) ladder() Ladder {
	if w.rated == nil {
		var done []train.Metrics
		for _, r := range w.records {
			done = append(done, r.metrics)
		}
		zero, rungs := train.Strengths(done)
		w.rated = &Ladder{zero, append([]train.Strength{}, rungs...)} // [] in JSON, not null
	}
	return *w.rated
}

// getRuns answers with the runs that have changed since the clock that the client names. An
// answer ends at once: pages ask again every second, so that none keeps a connection. Browsers
// open six to a server for all their tabs together.
func (s *Server) getRuns(r *http.Request) (any, error) {
	s.refresh()
	return s.news(r.FormValue("since")), nil
}

// News has the changes since a certain time on the server's clock of changes.
type News struct {
	Clock string     `json:"clock"` // the present time: a client that gets the news knows everything up to it
	IDs   []string   `json:"ids"`   // of all runs
	Runs  []Snapshot `json:"runs"`  // the changes, for each run that has changed
}

// news returns the changes since the clock of an earlier answer; if that is none of this
// server's, all that is known.
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
