package arena

import (
	"context"
	"math/rand/v2"

	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
)

// A searcher plays by tree search and keeps its tree between moves.
type searcher struct {
	search   mcts.Search
	evaluate func(ctx context.Context, b *model.Batch) error
	batch    *model.Batch
	rng      *rand.Rand
	begun    bool // the search has a position of this game
}

// Net plays as AlphaZero does in matches: a search of cfg without noise, and
// the best action.
func Net(newSearch func(mcts.Config) mcts.Search, spec engine.Spec, e model.Evaluator, cfg mcts.Config) Maker {
	cfg.NoiseWeight = 0
	return func() Player {
		return &searcher{search: newSearch(cfg), evaluate: e.Evaluate, batch: model.NewBatch(spec, 1)}
	}
}

// Rollouts plays by tree search without a network: priors are alike and a
// leaf is worth what random play from it comes to.
func Rollouts(newSearch func(mcts.Config) mcts.Search, spec engine.Spec, simulations int) Maker {
	cfg := mcts.Default()
	cfg.Simulations, cfg.NoiseWeight, cfg.FPUReduction, cfg.Cache = simulations, 0, 0, 0
	cfg.CPuct = rolloutExploration
	return func() Player {
		s := &searcher{search: newSearch(cfg), batch: model.NewBatch(spec, 1)}
		s.evaluate = func(_ context.Context, b *model.Batch) error {
			b.Values[0] = s.search.Playout() // the logits stay zero
			return nil
		}
		return s
	}
}

// rolloutExploration is c_puct where all priors are alike: the best of 1.5, 3,
// 5 and 8 in matches at 1,000 simulations of Onitama.
const rolloutExploration = 3

func (s *searcher) NewGame(seed uint64) {
	s.rng, s.begun = rand.New(rand.NewPCG(seed, 0)), false
}

func (s *searcher) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	if !s.begun || !mcts.Follow(s.search, p) {
		s.search.Reset(p, s.rng)
		s.begun = true
	}
	for !s.search.Done() {
		if !s.search.Leaf(s.batch.Planes) {
			continue
		}
		s.batch.N = 1
		if err := s.evaluate(ctx, s.batch); err != nil {
			return 0, err
		}
		s.search.Expand(s.batch.Logits, s.batch.Values[0])
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	a := s.search.Choose(0)
	s.search.Play(a)
	return a, nil
}
