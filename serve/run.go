package serve

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"dojo/configs"
	"dojo/run"
	"dojo/train"
)

// Snapshot is what is known of a run, or the part of it that a client does not have.
type Snapshot struct {
	Run         string            `json:"run"` // its id
	Game        string            `json:"game"`
	Program     string            `json:"program"` // the version that began the run
	Network     string            `json:"network"`
	Simulations int               `json:"simulations"` // of self-play, a move
	Seed        uint64            `json:"seed"`
	Planned     int               `json:"planned"` // generations that the run is to have
	Config      json.RawMessage   `json:"config"`  // the whole configuration
	From        int               `json:"from"`    // the number of the first of Generations
	Generations []json.RawMessage `json:"generations"`
	Ratings     []Rating          `json:"ratings"` // one for each of Generations
	Solved      []Solved          `json:"solved"`  // of all generations that are known
	Stage       Stage             `json:"stage"`
	Workers     *run.Workers      `json:"workers,omitempty"` // who helps the process that trains, if it lets others
	Error       string            `json:"error,omitempty"`   // why the run cannot be read now
}

// Stage is what a run is doing.
type Stage struct {
	Generation int       `json:"generation"`
	Name       string    `json:"name"`             // "self-play", "train", "gate" or "complete"
	Done       int       `json:"done"`             // games or steps
	Total      int       `json:"total"`            // 0: it is not known how much there is to do
	Remark     string    `json:"remark"`           // such as the speed; may be empty
	Written    time.Time `json:"written,omitzero"` // when the run last wrote a file, as far as was looked
}

// A watched run is what the server has read of a run's folder. The server's mutex
// guards it.
type watched struct {
	id     string
	folder run.Folder
	live   func() (Stage, bool) // the stage, if this process trains the run; nil if not

	config  stamp // of run.yaml
	frozen  configs.Frozen
	text    json.RawMessage // the configuration as JSON
	records []record
	last    stamp // of the newest record
	shards  counted
	solved  []Solved
	solving stamp // of solved.jsonl, when it was read
	stage   Stage
	crew    stamp // of the file of workers
	workers *run.Workers
	err     string

	changed uint64 // when anything was last changed, on the server's clock of changes
}

// A record is that of a committed generation.
type record struct {
	text   json.RawMessage
	rating Rating
	read   uint64 // when it was read, on the server's clock of changes
}

// A stamp tells whether a file is still the one that was read. Its zero value
// stands for no file.
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

// counted is the number of shards in the folder of a generation.
type counted struct {
	generation, n int
	folder        stamp
}

// refresh looks for what is new in the folder, and reports whether there is anything.
// Most calls cost a few looks at the times of files and read nothing.
func (w *watched) refresh(clock uint64) bool {
	before, count, text, solving := w.stage, len(w.records), w.err, w.solving
	reread, err := w.reread()
	if err == nil {
		err = w.readRecords(clock)
	}
	if now := stampOf(w.folder.Solved()); err == nil && (now != w.solving || w.err != "") {
		w.solved, err = readSolved(w.folder)
		w.solving = now
	}
	if w.readWorkers() {
		reread = true
	}
	w.err = ""
	if err != nil {
		w.err = err.Error()
	}
	w.look()
	if !reread && solving == w.solving && before == w.stage && count == len(w.records) && text == w.err {
		return false
	}
	w.changed = clock
	return true
}

// reread reads the configuration if it is new, and forgets all records if the folder
// holds another run than before.
func (w *watched) reread() (changed bool, err error) {
	config := stampOf(w.folder.ConfigPath())
	if n := len(w.records); n > 0 && stampOf(w.folder.Record(n-1)) != w.last {
		w.records, changed = nil, true
	}
	if config == w.config && w.text != nil {
		return changed, nil
	}
	frozen, err := configs.Thaw(w.folder)
	if err != nil {
		return changed, err
	}
	text, err := frozen.Config.JSON()
	if err != nil {
		return changed, err
	}
	w.config, w.frozen, w.text = config, frozen, text
	return true, nil
}

// readRecords reads the records of generations committed since it was last called.
func (w *watched) readRecords(clock uint64) error {
	for {
		g := len(w.records)
		now := stampOf(w.folder.Record(g))
		text, err := w.folder.ReadRecord(g)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		m, err := train.ParseRecord(w.folder, g, text)
		if err != nil {
			return err
		}
		w.records = append(w.records, record{text, rate(w.records, m), clock})
		w.last = now
	}
}

// readWorkers reads who helps, if that is new. A file that cannot be read is nobody.
func (w *watched) readWorkers() (changed bool) {
	now := stampOf(w.folder.Path(run.WorkersPath))
	if now == w.crew {
		return false
	}
	w.crew, w.workers = now, nil
	if all, err := w.folder.Workers(); err == nil && len(all.Workers) > 0 {
		w.workers = &all
	}
	return true
}

// look finds out which stage the run is in from the files that are there.
func (w *watched) look() {
	g, c := len(w.records), w.frozen.Config
	w.stage = Stage{Generation: g, Name: "complete", Written: w.last.time}
	if g >= c.Train.Generations {
		return
	}
	w.count(g)
	w.stage.Name, w.stage.Total = "self-play", c.Selfplay.Games
	w.stage.Done = min(w.shards.n*c.Selfplay.ShardGames, c.Selfplay.Games)
	w.wrote(w.shards.folder)
	if w.stage.Done == w.stage.Total {
		w.stage.Name, w.stage.Done, w.stage.Total = "train", 0, 0
		if trainer := stampOf(w.folder.Trainer(g)); trainer != (stamp{}) {
			w.stage.Name = "gate"
			w.wrote(trainer)
		}
	}
	if w.live == nil {
		return
	}
	if live, ok := w.live(); ok && live.Generation == g {
		live.Written = time.Now() // as good as written: the run is alive
		w.stage = live
	}
}

func (w *watched) wrote(s stamp) {
	if s.time.After(w.stage.Written) {
		w.stage.Written = s.time
	}
}

// settled is how old a folder's time must be before an unchanged time means that
// nothing has changed: file systems count it in steps of up to two seconds.
const settled = 3 * time.Second

// count counts the shards of generation g, if its folder has changed.
func (w *watched) count(g int) {
	folder := stampOf(w.folder.Samples(g))
	if w.shards.generation == g && w.shards.folder == folder && time.Since(folder.time) > settled {
		return
	}
	w.shards = counted{generation: g, folder: folder}
	if shards, err := w.folder.ShardsOf(g); err == nil {
		w.shards.n = len(shards)
	}
}

// since is what a client that knows the run as it was at clock has to learn.
func (w *watched) since(clock uint64) Snapshot {
	s := Snapshot{
		Run: w.id, Game: w.frozen.Config.Game, Program: w.frozen.Program, Network: w.frozen.Config.Network.Sizes(),
		Simulations: w.frozen.Config.MCTS.Simulations, Seed: w.frozen.Config.Seed,
		Planned: w.frozen.Config.Train.Generations, Config: w.text, Stage: w.stage, Workers: w.workers, Error: w.err,
		Generations: []json.RawMessage{}, Ratings: []Rating{}, Solved: append([]Solved{}, w.solved...),
	}
	for s.From < len(w.records) && w.records[s.From].read <= clock {
		s.From++
	}
	for _, r := range w.records[s.From:] {
		s.Generations = append(s.Generations, r.text)
		s.Ratings = append(s.Ratings, r.rating)
	}
	return s
}
