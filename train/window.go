package train

import (
	"context"
	"fmt"
	"maps"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/internal/parallel"
)

// A window holds the samples of the newest generations. The next candidate is trained on them.
//
// Each position takes 64 bytes, plus six bytes for each legal action. In addition, it takes two
// bytes for each active feature, or four bytes for each number of the planes. With features, this
// is 0.2 KB in Onitama, in Onitama with a wall and in Ô ăn quan, and 0.8 KB in Patchwork. A
// generation of 512 games of Onitama takes 3 MB. FitStats.WindowBytes is the size of a window.
type window struct {
	opt         *Options
	generations map[int]generation
}

// The type generation holds the games of one generation in the form of samples.
type generation struct {
	samples []sample
	rows    []*sampleRows // for each shard: the data to which samples refers
	stats   data.Summary
	late    float64           // share of the positions that are late in the game
	probes  []engine.Position // positions that are searched for DeepStats
}

// slide changes the window so that it holds exactly the generations from first to last, and returns
// the samples of these generations in order. If ctx ends, it returns the cause.
func (w *window) slide(ctx context.Context, first, last int) ([]sample, error) {
	maps.DeleteFunc(w.generations, func(g int, _ generation) bool { return g < first || g > last })
	var samples []sample
	for g := first; g <= last; g++ {
		if _, ok := w.generations[g]; !ok {
			read, err := w.read(ctx, g)
			if err != nil {
				return nil, err
			}
			w.generations[g] = read
		}
		samples = append(samples, w.generations[g].samples...)
	}
	return samples, nil
}

// read reads the shards of generation g and converts them into samples. If a shard is missing, it
// returns an error, because training on fewer samples would give a different model.
func (w *window) read(ctx context.Context, g int) (all generation, err error) {
	f, want := w.opt.Folder, w.opt.Selfplay.Shards()
	missing, err := f.Missing(g, want)
	if err != nil {
		return all, err
	}
	if n := len(missing); n > 0 {
		return all, fmt.Errorf("%d of the %d shards of generation %d are missing, the first is %s; dojo selfplay plays missing shards of the next generation, but shards of an earlier generation must be restored",
			n, want, g, f.Shard(g, missing[0]))
	}
	shards, err := f.ShardsOf(g)
	if err != nil {
		return all, err
	}
	readers, errs := make([]*reader, len(shards)), make([]error, len(shards))
	parallel.For(len(shards), w.opt.Workers, func(i int) { readers[i], errs[i] = w.opt.readShard(ctx, shards[i]) })
	var rows []data.Row
	late := 0
	for i, r := range readers {
		if errs[i] != nil {
			return all, errs[i]
		}
		rows = append(rows, r.shard...)
		all.samples = append(all.samples, r.samples...)
		all.rows = append(all.rows, r.rows)
		late += r.late
	}
	all.stats, all.late = data.Stats(rows), float64(late)/float64(len(rows))
	for _, row := range spread(rows, min(max(1, len(rows)/positionsPerProbe), maxProbes)) {
		p, err := w.opt.Game.Parse(row.Position)
		if err != nil {
			return all, err
		}
		all.probes = append(all.probes, p)
	}
	return all, nil
}
