package main

import (
	"fmt"
	"math"

	"dojo/configs"
)

// units has the speeds and sizes from which the costs of a preset follow, on a core of
// docs/BENCHMARKS.md. Those of sparse networks were measured. Those of residual networks, of
// which no benchmark exists, are scaled by the operations of the network, so that they agree
// with the time that a generation of the preset takes on two cores.
type units struct {
	simulations float64    // simulations of self-play, per second and core
	samples     [2]float64 // samples per second in training, with one core and with two
	plies       float64    // mean number of plies of a game
	newShare    float64    // share of the simulations of a search that it must make: the others are in the tree that it keeps
	model       float64    // bytes of a checkpoint
	row         float64    // bytes of a row in a shard
}

var presetUnits = map[string]units{
	"onitama":           {721_936, [2]float64{286_342, 301_214}, 38, 0.53, 0.57e6, 54},
	"onitama-quick":     {721_936, [2]float64{286_342, 301_214}, 38, 0.53, 0.57e6, 54},
	"wallonitama":       {688_809, [2]float64{251_399, 271_195}, 39, 0.6, 1.4e6, 55},
	"wallonitama-quick": {688_809, [2]float64{251_399, 271_195}, 39, 0.6, 1.4e6, 55},
	"patchwork":         {265_060, [2]float64{146_584, 159_937}, 42.5, 0.55, 1.1e6, 81},
	"patchwork-quick":   {265_060, [2]float64{146_584, 159_937}, 42.5, 0.55, 1.1e6, 81},
	"oanquan":           {567_924, [2]float64{419_379, 566_560}, 24, 0.5, 0.73e6, 34},
	"oanquan-quick":     {567_924, [2]float64{419_379, 566_560}, 24, 0.5, 0.73e6, 34},
	"tictactoe":         {140_000, [2]float64{18_000, 27_000}, 7.7, 0.6, 0.2e6, 40},
}

// The other costs.
const (
	roundTrip  = 1e-3   // seconds until a task that is requested arrives
	relay      = 50e-6  // seconds that the server takes to pass on a message
	accept     = 4e-3   // seconds of the hub for a shard, which it decodes, checks and writes to disk
	acceptRow  = 14e-6  // additional seconds of the hub for each row of a shard
	overhead   = 1500.0 // bytes that are sent for a task and its result, beside the rows
	spread     = 0.1    // standard deviation of the logarithm of the time of a shard
	gateSpeed  = 0.7    // simulations per second in a gate divided by those in self-play, which fills its batches better
	gateLength = 0.8    // share of the gate's games that are played until its sequential test ends
	parts      = 8      // parts of a training batch: the largest number of cores that train
)

// A load is the work of a generation.
type load struct {
	setup
	shards, pairs  int
	shardTime      float64 // seconds of a core for a shard
	pairTime       float64 // seconds of a core for a pair of games of the gate
	shardBytes     float64 // bytes on the network for a shard
	modelBytes     float64 // bytes on the network for a checkpoint
	acceptTime     float64 // seconds of the hub for a shard
	fitTime        float64 // seconds of the trainer, with all its cores, for training
	pairBytes      float64 // bytes on the network for a pair
	pairAcceptTime float64 // seconds of the hub for a pair
}

// loadOf returns the load of a generation of a preset with games times as many games.
func loadOf(preset string, games int, s setup) (load, error) {
	c, err := configs.Load(preset)
	if err != nil {
		return load{}, err
	}
	u, ok := presetUnits[preset]
	if !ok {
		return load{}, fmt.Errorf("the costs of %s are not known", preset)
	}
	if s.shardGames == 0 {
		s.shardGames = c.Selfplay.ShardGames
	}
	rows := float64(s.shardGames) * u.plies
	positions := float64(c.Selfplay.Games*games) * u.plies
	perPly := u.newShare / u.simulations
	return load{
		setup:          s,
		shards:         c.Selfplay.Games * games / s.shardGames,
		pairs:          int(gateLength * float64(c.Gate.Games) / 2),
		shardTime:      rows * float64(c.MCTS.Simulations) * perPly,
		pairTime:       2 * u.plies * float64(c.Gate.Simulations) * perPly / gateSpeed,
		shardBytes:     rows*u.row + overhead,
		modelBytes:     u.model,
		acceptTime:     accept + rows*acceptRow,
		fitTime:        c.Train.Passes * positions / u.samplesPerSecond(s.trainerCores) / s.trainingSpeedup,
		pairBytes:      2 * overhead,
		pairAcceptTime: relay,
	}, nil
}

// samplesPerSecond is the speed of training with a number of cores. It follows from the speeds
// with one core and with two by Amdahl's law.
func (u units) samplesPerSecond(cores int) float64 {
	one, two := 1/u.samples[0], 1/u.samples[1]
	serial := max(0, 2*two-one)
	return 1 / (serial + (one-serial)/math.Min(float64(cores), parts))
}
