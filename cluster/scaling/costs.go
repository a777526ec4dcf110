package main

import (
	"fmt"
	"math"

	"dojo/configs"
)

// Units are what a preset's parts cost on a core of docs/BENCHMARKS.md. Those of a sparse
// network are that page's, by game. Of residual ones that no bench has measured they are
// scaled by the operations of the network, and fit the time that a generation of the
// preset takes on two cores.
type units struct {
	simulations float64    // a second and core, in self-play
	samples     [2]float64 // a second, trained by one core and by two
	plies       float64    // of a game
	fresh       float64    // the share of a search's simulations that are not in the tree it kept
	model       float64    // bytes of a checkpoint
	row         float64    // bytes of a row in a shard
}

var unitsOf = map[string]units{
	"onitama":           {721_936, [2]float64{286_342, 301_214}, 38, 0.53, 0.57e6, 54},
	"onitama-quick":     {721_936, [2]float64{286_342, 301_214}, 38, 0.53, 0.57e6, 54},
	"wallonitama":       {688_809, [2]float64{251_399, 271_195}, 39, 0.6, 1.4e6, 55},
	"wallonitama-quick": {688_809, [2]float64{251_399, 271_195}, 39, 0.6, 1.4e6, 55},
	"patchwork":         {265_060, [2]float64{146_584, 159_937}, 42.5, 0.55, 1.1e6, 81},
	"patchwork-quick":   {265_060, [2]float64{146_584, 159_937}, 42.5, 0.55, 1.1e6, 81},
	"oanquan":           {153_549, [2]float64{11_600, 18_800}, 28, 0.5, 1.2e6, 34},
	"oanquan-quick":     {210_000, [2]float64{15_000, 26_000}, 28, 0.5, 0.7e6, 34},
	"tictactoe":         {140_000, [2]float64{18_000, 27_000}, 7.7, 0.6, 0.2e6, 40},
}

// What the rest costs.
const (
	roundTrip  = 1e-3   // seconds; a task is asked for and given
	hand       = 50e-6  // seconds of the server for a message
	accept     = 4e-3   // seconds of the hub for a shard: it is decoded, checked and written to disk
	acceptRow  = 14e-6  // and for each row of it
	overhead   = 1500.0 // bytes that travel with a task and its shard
	spread     = 0.1    // how much the times of equal shards differ: the standard deviation of the logarithm
	gateSpeed  = 0.7    // a gate's simulations a second, where one game fills no batch, in those of self-play
	gateLength = 0.8    // the share of the gate's games that the sequential test asks for
	parts      = 8      // of a batch, which as many cores train
)

// A load is what a generation asks for.
type load struct {
	setup
	shards, pairs   int
	shardTime       float64 // seconds of a core
	pairTime        float64
	shardBytes      float64 // on the network
	modelBytes      float64
	acceptTime      float64 // seconds of the hub for a shard
	fitTime         float64 // seconds of the trainer, with all its cores
	pairBytes       float64
	pairsAcceptTime float64
}

// loadOf is the load of a preset with so many times its games.
func loadOf(preset string, games int, s setup) (load, error) {
	c, err := configs.Load(preset)
	if err != nil {
		return load{}, err
	}
	u, ok := unitsOf[preset]
	if !ok {
		return load{}, fmt.Errorf("the costs of %s are not known", preset)
	}
	if s.shardGames == 0 {
		s.shardGames = c.Selfplay.ShardGames
	}
	rows := float64(s.shardGames) * u.plies
	positions := float64(c.Selfplay.Games*games) * u.plies
	perPly := u.fresh / u.simulations
	return load{
		setup:           s,
		shards:          c.Selfplay.Games * games / s.shardGames,
		pairs:           int(gateLength * float64(c.Gate.Games) / 2),
		shardTime:       rows * float64(c.MCTS.Simulations) * perPly,
		pairTime:        2 * u.plies * float64(c.Gate.Simulations) * perPly / gateSpeed,
		shardBytes:      rows*u.row + overhead,
		modelBytes:      u.model,
		acceptTime:      accept + rows*acceptRow,
		fitTime:         c.Train.Passes * positions / u.trained(s.trainerCores) / s.faster,
		pairBytes:       2 * overhead,
		pairsAcceptTime: hand,
	}, nil
}

// trained is the samples a second with so many cores, from those with one and with two
// by Amdahl's law.
func (u units) trained(cores int) float64 {
	one, two := 1/u.samples[0], 1/u.samples[1]
	serial := max(0, 2*two-one)
	return 1 / (serial + (one-serial)/math.Min(float64(cores), parts))
}
