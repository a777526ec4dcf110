package hub

import (
	"strings"
	"testing"

	"dojo.example/arena"
	"dojo.example/data"
	"dojo.example/engine/tictactoe"
	"dojo.example/model"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// The hub checks the size of a result before it decodes it, and refuses a result that is larger
// than the game allows.
func TestResultsTooLarge(t *testing.T) {
	var opt train.Options
	opt.Game.Game = tictactoe.Rules.Game()
	opt.Selfplay = selfplay.Config{Games: 2, ShardGames: 2}
	shards := &shardStore{run: &opt, job: opt.Job(0, model.NoModel, opt.ProgramVersion, model.Uniform)}
	pairs := &pairStore{pairs: arena.NewPairs(arena.Options{Game: opt.Game.Game, Games: 2})}
	shard := func(plies int, position string) []byte {
		var rows []data.Row
		for ply := range plies {
			rows = append(rows, data.Row{Ply: int32(ply), Position: position, TurnsLeft: int32(plies - ply), Policy: []data.Weight{{Action: 1, Weight: 1}}})
		}
		content, err := data.EncodeShard(data.Provenance{}, rows)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	for _, test := range []struct {
		store   store
		content []byte
		cause   string
	}{
		{shards, shard(5, strings.Repeat("x", 20)), "a text has 20 bytes, but in this shard it may have at most 9"},
		{shards, shard(19, "........."), "it has 19 rows, but this shard may have at most 18"},
		{pairs, []byte("[" + strings.Repeat("{},", 50_000) + "{}]"), "it has 150004 bytes, but a pair of games has at most"},
	} {
		if _, err := test.store.check(t.Context(), 0, test.content); err == nil || !strings.Contains(err.Error(), test.cause) {
			t.Errorf("error %v, want %s", err, test.cause)
		}
	}
}
