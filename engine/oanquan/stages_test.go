package oanquan

import (
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
)

// The stages of an action lead to the same board and scores as Play. The test tries several sets of
// options.
func TestStages(t *testing.T) {
	for name, opt := range map[string]Options{"default": Default, "traditional": Traditional, "stops": {
		BigValue: 10, FolkStones: 5, FirstPlayer: 2, EmptyKingStops: true, MaxPlies: 200,
	}} {
		refills := 0
		for seed := range uint64(300) {
			rng := rand.New(rand.NewPCG(seed, 1))
			for s := deal(opt, rng); s.outcome == engine.Ongoing; {
				legal := s.Legal(nil)
				a := legal[rng.IntN(len(legal))]
				board, scores, want := s.board, s.scores, s.Play(a)
				for _, stage := range s.Stages(a).([]Stage) {
					switch stage.Do {
					case "lift":
						board[stage.Field] -= uint8(stage.Stones)
					case "drop":
						board[stage.Field]++
					case "win":
						board[stage.Field] -= uint8(stage.Stones)
						scores[stage.Seat] += int16(stage.Stones)
					case "refill":
						board[stage.Field] += uint8(stage.Stones)
						scores[stage.Seat] -= int16(stage.Stones)
						refills++
					}
				}
				if board != want.board || scores != want.scores {
					t.Fatalf("%s: %s, %s: the stages come to %v %v, want %v %v", name, s, s.ActionString(a), board, scores, want.board, want.scores)
				}
				s = want
			}
		}
		if refills == 0 {
			t.Errorf("%s: no game had a refill", name)
		}
	}
}
