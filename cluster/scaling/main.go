// Scaling estimates how many workers one trainer can use, from what the parts of a generation
// cost, and prints a table.
//
//	go run ./cluster/scaling                       all presets
//	go run ./cluster/scaling -workers 1000 onitama where a generation's time goes
//	go run ./cluster/scaling -workers 1000 -games 64 -training 50 onitama
//
// The last has 64 times as many games, and a trainer that trains 50 times as fast.
// In the table a number of workers is enough if a generation takes at most a tenth longer
// with it than with any larger one.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"text/tabwriter"

	"dojo.example/configs"
)

// units has the speeds and sizes from which the costs of a preset follow, measured on a core of
// docs/BENCHMARKS.md.
type units struct {
	simulations float64    // simulations of self-play, per second and core
	samples     [2]float64 // samples per second in training, with one core and with two
	plies       float64    // mean number of plies of a game
	newShare    float64    // fraction of a search's simulations that are new; the others are in the tree that it keeps
	model       float64    // bytes of a checkpoint
	row         float64    // bytes of a row in a shard
}

var gameUnits = map[string]units{
	"onitama":     {721_936, [2]float64{286_342, 301_214}, 38, 0.53, 0.57e6, 54},
	"wallonitama": {688_809, [2]float64{251_399, 271_195}, 39, 0.6, 1.4e6, 55},
	"patchwork":   {265_060, [2]float64{146_584, 159_937}, 42.5, 0.55, 1.1e6, 81},
	"oanquan":     {567_924, [2]float64{419_379, 566_560}, 24, 0.5, 0.73e6, 34},
	"tictactoe":   {140_000, [2]float64{18_000, 27_000}, 7.7, 0.6, 0.2e6, 40},
}

// The other costs, in seconds and bytes.
const (
	accept     = 4e-3   // of the hub for a shard, which it decodes, checks and writes to disk
	acceptRow  = 14e-6  // of the hub for each row of a shard
	relay      = 50e-6  // of the server for a task
	overhead   = 1500.0 // bytes that are sent for a task and its result, beside the rows
	network    = 125e6  // bytes per second
	gateSpeed  = 0.7    // simulations per second in a gate, relative to self-play, which fills its batches better
	gateLength = 0.8    // fraction of the gate's games that are played until its sequential test ends
	batchParts = 8      // the largest number of cores that train
)

// A load is the work of a generation.
type load struct {
	trainerCores, workerCores int

	shards, pairs       float64 // number of shards, and of pairs of games of the gate
	shardTime, pairTime float64 // seconds of a core for one of them
	acceptTime          float64 // seconds of the hub for a shard
	shardBytes          float64 // bytes on the network for a shard
	modelBytes          float64 // bytes on the network for a checkpoint
	fitTime             float64 // seconds of the trainer, with all its cores, for training
}

// newLoad returns the load of a generation of a preset with games times as many games, of a
// trainer that trains speedup times as fast.
func newLoad(preset string, games, speedup float64, trainerCores, workerCores int) (load, error) {
	c, err := configs.Load(preset)
	if err != nil {
		return load{}, err
	}
	u, ok := gameUnits[c.Game]
	if !ok {
		return load{}, fmt.Errorf("the costs of %s are not known", preset)
	}
	rows := float64(c.Selfplay.ShardGames) * u.plies
	perPly := u.newShare / u.simulations
	one, two := 1/u.samples[0], 1/u.samples[1] // seconds per sample, from which Amdahl's law follows
	serial := max(0, 2*two-one)
	perSample := serial + (one-serial)/float64(min(trainerCores, batchParts))
	return load{
		trainerCores: trainerCores, workerCores: workerCores,
		shards:     float64(c.Selfplay.Games) * games / float64(c.Selfplay.ShardGames),
		pairs:      gateLength * float64(c.Gate.Games) / 2,
		shardTime:  rows * float64(c.MCTS.Simulations) * perPly,
		pairTime:   2 * u.plies * float64(c.Gate.Simulations) * perPly / gateSpeed,
		acceptTime: relay + accept + rows*acceptRow,
		shardBytes: rows*u.row + overhead,
		modelBytes: u.model,
		fitTime:    c.Train.Passes * float64(c.Selfplay.Games) * games * u.plies * perSample / speedup,
	}, nil
}

// A result has the duration of a generation, and which fraction of it the parts are busy.
type result struct {
	period                     float64 // seconds
	fit, hub, network, playing float64
}

// estimate returns the duration of a generation with some workers and train.lag. Workers read a
// model, play in waves, and wait until the hub has accepted the last wave. With a lag of 1 two generations overlap: a period
// is at least half of the way from a commit to that of the generation after next, and what each
// part has to do.
func (l load) estimate(workers, lag int) result {
	cores := float64(l.trainerCores + workers*l.workerCores)
	away := float64(workers*l.workerCores) / cores // fraction of the tasks that workers do
	hub := away * l.shards * l.acceptTime
	models := min(float64(workers), l.shards) * l.modelBytes / network
	traffic := 2*models + away*l.shards*l.shardBytes/network
	lastWave := away * min(l.shards, cores) * l.acceptTime // these come at about the same time
	play := max(math.Ceil(l.shards/cores)*l.shardTime+lastWave, hub) + models
	gate := math.Ceil(l.pairs/cores)*l.pairTime + models + l.pairs*relay
	work := l.shards*l.shardTime + l.pairs*l.pairTime
	r := result{period: play + l.fitTime + gate}
	if lag == 1 {
		r.period = max(r.period/2, l.fitTime+gate, hub, traffic, (work+float64(l.trainerCores)*l.fitTime)/cores)
	}
	r.fit, r.hub, r.network, r.playing = l.fitTime/r.period, hub/r.period, traffic/r.period, work/cores/r.period
	return r
}

// bottleneck names the part that is busiest. If all are idle most of the time, there are too few
// shards for the number of cores, which wait for the last shards.
func (r result) bottleneck() string {
	shares := []float64{r.fit, r.hub, r.network, r.playing}
	i := slices.Index(shares, slices.Max(shares))
	if shares[i] < 0.5 {
		return "shards"
	}
	return []string{"training", "the hub", "the network", "cores"}[i]
}

// enough returns the smallest number of workers, of 1, 2, 3, 4, 6, 8, 12, …, with which a
// generation takes at most 10 % longer than with the best number of them.
func (l load) enough(lag int) (workers int, r result) {
	counts, best := []int{1}, math.Inf(1)
	for n := 2; n <= 1024; n *= 2 {
		counts = append(counts, n, n+n/2)
	}
	for _, n := range counts {
		best = min(best, l.estimate(n, lag).period)
	}
	i := slices.IndexFunc(counts, func(n int) bool { return l.estimate(n, lag).period <= 1.1*best })
	return counts[i], l.estimate(counts[i], lag)
}

func main() {
	workers := flag.Int("workers", -1, "say where the time goes with this many `workers`, instead of the table")
	trainer := flag.Int("trainer", 2, "`cores` of the trainer")
	worker := flag.Int("worker", 2, "`cores` of a worker")
	games := flag.Float64("games", 1, "how many `times` the preset's games are in a generation")
	speedup := flag.Float64("training", 1, "how many `times` as fast the trainer trains, as on other hardware")
	flag.Parse()
	presets := flag.Args()
	if len(presets) == 0 {
		presets = configs.Names()
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	if *workers < 0 {
		fmt.Fprintln(out, "| preset\t| alone\t| lag 0: enough\t| then\t| lag 1: enough\t| then\t| first short of\t|\n|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	}
	for _, preset := range presets {
		l, err := newLoad(preset, *games, *speedup, *trainer, *worker)
		if err != nil {
			fmt.Fprintln(os.Stderr, "scaling:", err)
			os.Exit(1)
		}
		if *workers >= 0 {
			for lag := range 2 {
				r := l.estimate(*workers, lag)
				fmt.Fprintf(out, "%s, lag %d:\t%.2f s a generation; busy: training %.0f %%, the hub %.0f %%, its network %.0f %%, the cores that play %.0f %%\n",
					preset, lag, r.period, 100*r.fit, 100*r.hub, 100*r.network, 100*r.playing)
			}
			continue
		}
		alone := l.estimate(0, 0).period
		none, first := l.enough(0)
		one, second := l.enough(1)
		fmt.Fprintf(out, "| %s\t| %.1f s\t| %d\t| %.1f ×\t| %d\t| %.1f ×\t| %s; %s\t|\n",
			preset, alone, none, alone/first.period, one, alone/second.period, first.bottleneck(), second.bottleneck())
	}
	if err := out.Flush(); err != nil {
		os.Exit(1)
	}
}
