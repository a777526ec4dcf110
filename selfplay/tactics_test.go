package selfplay_test

import (
	"reflect"
	"testing"

	"dojo.example/engine/onitama"
	"dojo.example/search/mcts"
	"dojo.example/selfplay"
)

// Searches with tactics (tests for short forced wins) play different games than searches without
// them. With tactics, too, shards do not depend on the number of workers and lanes.
func TestTacticsDoNotDependOnWorkersOrLanes(t *testing.T) {
	tactical := func(workers, lanes, leaf int) selfplay.Job {
		j := job(workers, lanes)
		j.Games, j.ShardGames, j.Search.Simulations, j.Search.Tactics.Leaf = 8, 4, 10, leaf
		j.Game = mcts.GameOf(onitama.Classic)
		return j
	}
	want := play(t, tactical(1, 1, 2), 0, 1)
	for _, c := range [][2]int{{1, 5}, {3, 2}} {
		if got := play(t, tactical(c[0], c[1], 2), 0, 1); !reflect.DeepEqual(got.all, want.all) {
			t.Errorf("%d workers of %d lanes play other games than one worker of one lane", c[0], c[1])
		}
	}
	if got := play(t, tactical(1, 4, 0), 0, 1); reflect.DeepEqual(got.all, want.all) {
		t.Error("without tactics the same games are played")
	}
}
