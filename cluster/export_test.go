package cluster

import "dojo/model"

// FirstLot is the lot of the games of a run's first generation, as results name it.
func FirstLot(config, run, program string) string {
	return shardSpec{Config: config, Model: model.NoModel, Run: run, Program: program}.lot("").id()
}

// Reachable is reachable.
func Reachable(address string) string { return reachable(address) }
