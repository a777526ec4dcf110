package mcts_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/mcts"
)

// A cache, whatever its size, changes no search and no game; it only asks less.
func TestCacheChangesNothing(t *testing.T) {
	want, all := cached(0)
	for _, slots := range []int{1, 7, 100, 8192} {
		log, asked := cached(slots)
		if !reflect.DeepEqual(log, want) {
			t.Errorf("a cache of %d slots changes the games", slots)
		}
		if asked > all || slots > 7 && asked > all*9/10 {
			t.Errorf("a cache of %d slots asks %d times, none %d times", slots, asked, all)
		}
	}
}

// cached plays games with a cache and says what the searches found.
func cached(slots int) (log []string, asked int) {
	cfg := mcts.Default()
	cfg.Cache = slots
	noise := cfg.Noise()
	in := engine.PlaneInput(tictactoe.Rules.Planes)
	first := mcts.New(tictactoe.Rules, cfg)
	for game, s := range []mcts.Search{first, first.Fork(), first} {
		rng := rand.New(rand.NewPCG(1, uint64(game)))
		s.Reset(tictactoe.Rules.Game().Start(rng), rng)
		for s.Position().Outcome() == engine.Ongoing {
			for s.Begin(noise, 60); !s.Done(); {
				in.Reset()
				if s.Leaf(&in) {
					asked++
					logits, value := opinion(in.Planes)
					expand(s, &in, logits, value)
				}
			}
			a := s.Choose(1)
			log = append(log, fmt.Sprint(s.Edges(nil), s.Value(), a))
			s.Play(a)
		}
	}
	return log, asked
}

// opinion is a network that depends on the planes alone.
func opinion(planes []float32) ([]float32, float32) {
	logits, value := make([]float32, 9), float32(0)
	for i, v := range planes {
		value += v * float32(i%5-2) / 10
		logits[i%9] += v * float32(i%7) / 3
	}
	return logits, value
}
