package train_test

import (
	"strings"
	"testing"

	"dojo/arena"
	"dojo/games"
	"dojo/model"
	"dojo/train"
)

// By the margin another candidate may be promoted than by wins, and the record says how
// far it was ahead.
func TestGateCountsPoints(t *testing.T) {
	opt := tinySparse(t, t.TempDir(), 2)
	game, err := games.ByName("oanquan")
	if err != nil {
		t.Fatal(err)
	}
	opt.Game, opt.NewSearch = game.Game, game.NewSearch
	opt.Network = model.Network{Kind: model.Sparse, Margin: 20, Sparse: opt.Network.Sparse}.For(game.Spec)
	opt.Selfplay.Games, opt.Search.Simulations = 8, 4
	opt.Gate.Judge, opt.Gate.Simulations = train.ByMargin, 2
	opt.Gate.Elo0, opt.Gate.Elo1 = -1, 1 // too near for the test to decide: who is ahead passes
	for g, m := range finish(t, opt) {
		if x := m.Gate.Margin; m.Gate.Promoted != (x.Mean > 0) || !(x.Low < x.Mean && x.Mean < x.High) {
			t.Errorf("generation %d: promoted %v with a margin of %+v", g, m.Gate.Promoted, x)
		}
	}
}

// Without a judge every candidate is promoted, after as many games as there can be; the
// record says how it did.
func TestGateWithoutJudge(t *testing.T) {
	opt := tinySparse(t, t.TempDir(), 2)
	opt.Gate.Judge = train.ByNobody
	for g, m := range finish(t, opt) {
		if x := m.Gate; !x.Promoted || x.Wins+x.Losses+x.Draws != opt.Gate.Games || x.Margin != (arena.Mean{}) || x.EloLow >= x.EloHigh {
			t.Errorf("generation %d: %+v", g, x)
		}
	}
}

// A game without scores has no margin to judge by.
func TestGateWantsScores(t *testing.T) {
	opt := tinySparse(t, t.TempDir(), 1)
	opt.Gate.Judge = train.ByMargin
	if _, err := train.Open(opt); err == nil || !strings.Contains(err.Error(), "gate: judge: margin is for a game with scores, and tictactoe has none") {
		t.Errorf("error %v", err)
	}
}
