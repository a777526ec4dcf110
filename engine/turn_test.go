package engine_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
)

// Deal calls Start again if Start returns a finished game. It gives up after a fixed number of
// calls. Its result depends only on the random source.
func TestDeal(t *testing.T) {
	starts := 0
	r := tictactoe.Rules
	r.Start = func(rng *rand.Rand) tictactoe.State {
		starts++
		s := tictactoe.State{}
		for range rng.IntN(10) {
			if s.Outcome() == engine.Ongoing {
				s = s.Play(s.Legal(nil)[0])
			}
		}
		return s
	}
	seen := map[string]bool{}
	for seed := range uint64(50) {
		s, err := r.Deal(rand.New(rand.NewPCG(seed, 0)))
		if again, _ := r.Deal(rand.New(rand.NewPCG(seed, 0))); err != nil || s != again || s.Outcome() != engine.Ongoing {
			t.Fatalf("seed %d deals %v, %v, and then %v", seed, s, err, again)
		}
		seen[s.String()] = true
	}
	if starts == 100 || len(seen) != 7 {
		t.Errorf("%d starts gave %d different deals, want 7 and some that were over", starts, len(seen))
	}
	full, err := tictactoe.Parse("xoxxoooxx")
	if err != nil {
		t.Fatal(err)
	}
	starts = 0
	r.Start = func(*rand.Rand) tictactoe.State { starts++; return full }
	if _, err := r.Deal(nil); err == nil || !strings.Contains(err.Error(), "game tictactoe: Start returned 1000 positions") || starts != 1000 {
		t.Errorf("%d starts that are over give %v", starts, err)
	}
}

// Validate returns an error if the rules need an interface that the states do not implement.
func TestValidateAbilities(t *testing.T) {
	plain := silentRules()
	unlisted, extra, acting := plain, tictactoe.Rules, tictactoe.Rules
	unlisted.Features, unlisted.ActiveFeatures, unlisted.FeatureGroups = 18, 9, tictactoe.Rules.FeatureGroups
	for i := range unlisted.Symmetries {
		unlisted.Symmetries[i].Features = tictactoe.Rules.Symmetries[i].Features
	}
	extra.Features, extra.ActiveFeatures, extra.FeatureGroups, extra.Symmetries = 0, 0, nil, nil
	acting.ActionFeatures, acting.PerAction = 3, 1
	for _, c := range []struct {
		err  error
		says string
	}{
		{unlisted.Validate(), "Features is 18, but its states do not implement FeatureLister"},
		{extra.Validate(), "Features is 0, but its states implement FeatureLister"},
		{acting.Validate(), "ActionFeatures is 3, but its states do not implement"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%v, want an error that says %q", c.err, c.says)
		}
	}
}
