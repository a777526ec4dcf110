package serve

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"dojo.example/configs"
	"dojo.example/run"
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
	Planned     int               `json:"planned"` // number of generations that the run will have
	Config      json.RawMessage   `json:"config"`  // the whole configuration
	From        int               `json:"from"`    // the number of the first of Generations
	Generations []json.RawMessage `json:"generations"`
	Ladder      Ladder            `json:"ladder"`
	Solved      []Solved          `json:"solved"` // of all generations that are known
	Stage       Stage             `json:"stage"`
	Workers     *run.Workers      `json:"workers,omitempty"` // the workers of the process that trains, if it uses any
	Error       string            `json:"error,omitempty"`   // why the run cannot be read now
}

// Ladder is how strong the run's models are; see train.Strengths.
type Ladder struct {
	Zero  string           `json:"zero"` // the player whose rating is 0; "" before the first match
	Rungs []train.Strength `json:"rungs"`
}

// Stage is what a run is doing.
type Stage struct {
	Generation int       `json:"generation"`
	Name       string    `json:"name"`             // "self-play", "train", "gate", "ladder" or "complete"
	Done       int       `json:"done"`             // games or steps
	Total      int       `json:"total"`            // games or steps in all; 0 if not known
	Remark     string    `json:"remark"`           // such as the speed; may be empty
	Written    time.Time `json:"written,omitzero"` // time of the newest of the files that were looked at
}

// A watched run holds what the server has read of a run's folder. The server's mutex
// guards it.
type watched struct {
	id     string
	folder run.Folder
	live   func() (Stage, bool) // the stage, if this process trains the run; nil if not

	configStamp  stamp // of run.yaml, when it was read
	frozen       configs.Frozen
	text         json.RawMessage // the configuration as JSON
	records      []record
	recordStamp  stamp // of the newest record, when it was read
	shards       shardCount
	solved       []Solved
	solvedStamp  stamp // of solved.jsonl, when it was read
	stage        Stage
	workersStamp stamp // of the file of workers, when it was read
	workers      *run.Workers
	err          string

	changed uint64 // when anything was last changed, on the server's clock of changes
}

// A record is the record of a committed generation.
type record struct {
	text    json.RawMessage
	metrics train.Metrics
	read    uint64 // when it was read, on the server's clock of changes
}

// A stamp is a file's size and time of modification. A file whose stamp is unchanged is taken
// to be unchanged. The zero stamp means that there is no file.
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

// A shardCount is the number of shards in the folder of a generation.
type shardCount struct {
	generation, n int
	folder        stamp
}

// refresh reads the files of the folder that have changed, and reports whether anything is
// new. clock is the time of the change on the server's clock. Most calls only look at the
// stamps of a few files and read nothing.
func (w *watched) refresh(clock uint64) bool {
	before, count, text, solving := w.stage, len(w.records), w.err, w.solvedStamp
	reread, err := w.reread()
	if err == nil {
		err = w.readRecords(clock)
	}
	if now := stampOf(w.folder.Solved()); err == nil && (now != w.solvedStamp || w.err != "") {
		w.solved, err = readSolved(w.folder)
		w.solvedStamp = now
	}
	if w.readWorkers() {
		reread = true
	}
	w.err = ""
	if err != nil {
		w.err = err.Error()
	}
	w.findStage()
	if !reread && solving == w.solvedStamp && before == w.stage && count == len(w.records) && text == w.err {
		return false
	}
	w.changed = clock
	return true
}

// reread reads the configuration if it has changed, and drops all records if the newest one
// has changed, as when the folder holds another run than before.
func (w *watched) reread() (changed bool, err error) {
	config := stampOf(w.folder.ConfigPath())
	if n := len(w.records); n > 0 && stampOf(w.folder.Record(n-1)) != w.recordStamp {
		w.records, changed = nil, true
	}
	if config == w.configStamp && w.text != nil {
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
	w.configStamp, w.frozen, w.text = config, frozen, text
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
		w.records = append(w.records, record{text, m, clock})
		w.recordStamp = now
	}
}

// readWorkers reads the file of workers if it has changed. If it cannot be read, there are
// none.
func (w *watched) readWorkers() (changed bool) {
	now := stampOf(w.folder.Path(run.WorkersPath))
	if now == w.workersStamp {
		return false
	}
	w.workersStamp, w.workers = now, nil
	if all, err := w.folder.Workers(); err == nil && len(all.Workers) > 0 {
		w.workers = &all
	}
	return true
}

// findStage finds out which stage the run is in, from the files that are there or, if this
// process trains the run, by asking.
func (w *watched) findStage() {
	g, c := len(w.records), w.frozen.Config
	w.stage = Stage{Generation: g, Name: "complete", Written: w.recordStamp.time}
	if g >= c.Train.Generations {
		return
	}
	w.countShards(g)
	w.stage.Name, w.stage.Total = "self-play", c.Selfplay.Games
	w.stage.Done = min(w.shards.n*c.Selfplay.ShardGames, c.Selfplay.Games)
	w.noteWritten(w.shards.folder)
	if w.stage.Done == w.stage.Total {
		w.stage.Name, w.stage.Done, w.stage.Total = "train", 0, 0
		if trainer := stampOf(w.folder.TrainerState(g)); trainer != (stamp{}) {
			w.stage.Name = "gate"
			w.noteWritten(trainer)
		}
	}
	if w.live == nil {
		return
	}
	if live, ok := w.live(); ok && live.Generation == g {
		live.Written = time.Now() // the run is alive, even if it has written nothing
		w.stage = live
	}
}

// noteWritten updates the stage's time of the newest file.
func (w *watched) noteWritten(s stamp) {
	if s.time.After(w.stage.Written) {
		w.stage.Written = s.time
	}
}

// settled is the age from which on a folder's unchanged time means that nothing in it has
// changed. File systems store times in steps of up to two seconds, so that a younger folder
// may have changed within the same step.
const settled = 3 * time.Second

// countShards counts the shards of generation g, if its folder has changed.
func (w *watched) countShards(g int) {
	folder := stampOf(w.folder.Samples(g))
	if w.shards.generation == g && w.shards.folder == folder && time.Since(folder.time) > settled {
		return
	}
	w.shards = shardCount{generation: g, folder: folder}
	if shards, err := w.folder.ShardsOf(g); err == nil {
		w.shards.n = len(shards)
	}
}

// snapshotSince returns the run's state, with only those generations that were read after
// clock.
func (w *watched) snapshotSince(clock uint64) Snapshot {
	s := Snapshot{
		Run: w.id, Game: w.frozen.Config.Game, Program: w.frozen.Program, Network: w.frozen.Config.Network.Sizes(),
		Simulations: w.frozen.Config.MCTS.Simulations, Seed: w.frozen.Config.Seed,
		Planned: w.frozen.Config.Train.Generations, Config: w.text, Stage: w.stage, Workers: w.workers, Error: w.err,
		Generations: []json.RawMessage{}, Ladder: w.ladder(), Solved: append([]Solved{}, w.solved...),
	}
	if w.text == nil { // it has never been read
		s.Config = json.RawMessage("{}")
	}
	for s.From < len(w.records) && w.records[s.From].read <= clock {
		s.From++
	}
	for _, r := range w.records[s.From:] {
		s.Generations = append(s.Generations, r.text)
	}
	return s
}

// ladder rates the run's models.
func (w *watched) ladder() (l Ladder) {
	var done []train.Metrics
	for _, r := range w.records {
		done = append(done, r.metrics)
	}
	l.Zero, l.Rungs = train.Strengths(done)
	l.Rungs = append([]train.Strength{}, l.Rungs...) // [] in JSON, not null
	return l
}
