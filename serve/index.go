package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dojo/data"
	"dojo/internal/bounded"
	"dojo/internal/regular"
	"dojo/run"
	"dojo/selfplay"
	"dojo/train"
)

// An index lists the games in the files of runs. A file is read when its games are first
// requested. Its list stays in memory until there is no room and others were used later.
type index struct {
	mu    sync.Mutex            // also held while a file is read: more than one reader would slow down training
	files map[string]*indexFile // by path
	size  int                   // number of games in all files
}

// An indexFile is the games of one file.
type indexFile struct {
	stamp stamp
	games []Listed
	used  time.Time
}

// generationsOf lists the generations that have games of a source, in order.
func generationsOf(f run.Folder, source string) (all []int, err error) {
	all = []int{}
	if source == selfplaySource {
		shards, err := f.Shards()
		if err != nil {
			return nil, err
		}
		for _, s := range shards {
			all = append(all, s.Generation)
		}
		return slices.Compact(all), nil
	}
	entries, err := os.ReadDir(f.Path("gates"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		name, _ := strings.CutSuffix(e.Name(), ".jsonl")
		if g, err := strconv.Atoi(name); err == nil && f.Gate(g) == f.Path("gates", e.Name()) {
			all = append(all, g)
		}
	}
	slices.Sort(all)
	return all, nil
}

// games lists the games of a generation, in the order of their numbers. The caller must not
// change the result.
func (x *index) games(ctx context.Context, f run.Folder, source string, generation int) ([]Listed, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if source == gateSource {
		return x.file(f.Gate(generation), func(path string) ([]Listed, error) { return listGate(path, generation) })
	}
	shards, err := f.ShardsOf(generation)
	if err != nil {
		return nil, err
	}
	var all []Listed
	for _, s := range shards {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		games, err := x.file(s.Path, func(path string) ([]Listed, error) { return listShard(path, s) })
		if errors.Is(err, fs.ErrNotExist) {
			continue // training has dropped it meanwhile
		}
		if err != nil {
			return nil, err
		}
		all = append(all, games...)
	}
	return all, nil
}

// file returns the games of a file. If it is new or has changed, read reads them.
func (x *index) file(path string, read func(path string) ([]Listed, error)) ([]Listed, error) {
	now := stampOf(path)
	if f := x.files[path]; f != nil && f.stamp == now {
		f.used = time.Now()
		return f.games, nil
	}
	games, err := read(path)
	if err != nil {
		return nil, err
	}
	x.forget(path)
	if x.files == nil {
		x.files = map[string]*indexFile{}
	}
	x.files[path] = &indexFile{now, games, time.Now()}
	x.size += len(games)
	for x.size > 2*MaxListed {
		x.forget(x.oldest())
	}
	return games, nil
}

func (x *index) forget(path string) {
	if f := x.files[path]; f != nil {
		x.size -= len(f.games)
		delete(x.files, path)
	}
}

// oldest returns the file whose last use is longest ago.
func (x *index) oldest() (path string) {
	for p, f := range x.files {
		if path == "" || f.used.Before(x.files[path].used) {
			path = p
		}
	}
	return path
}

// listShard lists the games of a shard.
func listShard(path string, s run.Shard) (games []Listed, err error) {
	_, rows, err := data.ReadShard(path)
	if err != nil {
		return nil, err
	}
	for from, to := 0, 0; from < len(rows); from = to {
		for to = from; to < len(rows) && rows[to].Game == rows[from].Game; to++ {
		}
		games = append(games, listRows(rows[from:to], s))
	}
	return games, nil
}

// listRows returns the list entry of the game that has the given rows.
func listRows(rows []data.Row, s run.Shard) Listed {
	result := float32(rows[0].Outcome)
	var swing, surprise float32
	for i, r := range rows {
		next := result
		if i+1 < len(rows) {
			next = rows[i+1].Value
		}
		swing = max(swing, distance(r.Value, next))
		surprise += distance(r.Value, result)
	}
	surprise /= float32(len(rows))
	return Listed{
		Source: selfplaySource, Generation: s.Generation, Number: selfplay.Number(rows[0].Game),
		First: rows[0].Model, Second: rows[0].Model, Outcome: outcome(int(rows[0].Outcome)), Length: len(rows),
		Swing: &swing, Surprise: &surprise, shard: s.Number,
	}
}

func distance(x, y float32) float32 { return max(x-y, y-x) }

// maxGate is the largest number of bytes that the file of a gate's games may have; usually it
// has about 100,000.
const maxGate = 64 << 20

// readGate reads the games of a gate.
func readGate(path string) (games []train.GateGame, err error) {
	text, err := regular.Read(path, maxGate)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxGate)
	for lines.Scan() {
		var g train.GateGame
		if err := bounded.Unmarshal(lines.Bytes(), &g); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, len(games)+1, err)
		}
		games = append(games, g)
	}
	return games, lines.Err()
}

// listGate lists the games of a gate.
func listGate(path string, generation int) (all []Listed, err error) {
	games, err := readGate(path)
	if err != nil {
		return nil, err
	}
	for i, g := range games {
		all = append(all, Listed{
			Source: gateSource, Generation: generation, Number: i, First: g.First, Second: g.Second,
			Outcome: outcome(g.Outcome), Length: len(g.Actions),
		})
	}
	return all, nil
}
