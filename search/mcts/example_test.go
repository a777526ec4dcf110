package mcts_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/search/mcts"
)

// This search evaluates positions by random playouts. A program with a network would have the
// network evaluate the Input instead.
func Example() {
	p, err := tictactoe.Rules.Game().Parse("xx..o...o")
	if err != nil {
		log.Fatal(err)
	}
	cfg := mcts.Default()
	s := mcts.New(tictactoe.Rules, cfg)
	s.Reset(p, rand.New(rand.NewPCG(1, 0)))
	var in engine.Input
	for s.Begin(mcts.RootRule{Final: mcts.LCB}, 200); !s.Done(); {
		in.Reset()
		if s.Leaf(&in) {
			value, err := s.RandomPlayout()
			if err != nil {
				log.Fatal(err)
			}
			s.Expand(in.Legal, make([]float32, len(in.Legal)), value)
		}
	}
	fmt.Println(p.ActionString(s.Root().Choose(0)), s.Proven())
	// Output: c3 first
}
