package mcts_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"dojo/engine"
	"dojo/engine/tictactoe"
	"dojo/mcts"
)

// A cache, whatever its size, changes no search and no game, however many
// simulations are pending; it only asks less.
func TestCacheChangesNothing(t *testing.T) {
	for _, pending := range []int{1, 4, 16} {
		want, all := cached(0, pending)
		for _, slots := range []int{1, 7, 100, 8192} {
			log, asked := cached(slots, pending)
			if !reflect.DeepEqual(log, want) {
				t.Errorf("a cache of %d slots changes the games with %d pending", slots, pending)
			}
			if asked > all || slots > 7 && (asked == all || pending == 1 && asked > all*9/10) {
				t.Errorf("a cache of %d slots asks %d times, none %d times, with %d pending", slots, asked, all, pending)
			}
		}
	}
}

// cached plays games with a cache and says what the searches found.
func cached(slots, pending int) (log []string, asked int) {
	cfg := mcts.Default()
	cfg.Cache = slots
	noise := cfg.Noise()
	size := tictactoe.Rules.Planes.Size()
	planes := make([]float32, pending*size)
	first := mcts.New(tictactoe.Rules, cfg)
	for game, s := range []mcts.Search{first, first.Fork(), first} {
		rng := rand.New(rand.NewPCG(1, uint64(game)))
		s.Reset(tictactoe.Rules.Game().Start(rng), rng)
		for s.Position().Outcome() == engine.Ongoing {
			for s.Begin(noise, 60); !s.Done(); {
				for row := range s.Leaves(planes, pending) {
					asked++
					s.Expand(opinion(planes[row*size : (row+1)*size]))
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
