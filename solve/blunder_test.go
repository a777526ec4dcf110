package solve

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
)

// Minimax agrees that a blunder is the last action of the loser that turned a game into
// a lost one. With few nodes, Blunder reports proven ones only.
func TestBlunder(t *testing.T) {
	full, few := Prover[tictactoe.State]{Nodes: 100_000}, Prover[tictactoe.State]{Nodes: 40}
	found, held, none := 0, 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var path []engine.Position
		var played []engine.Action
		s := tictactoe.State{}
		for s.Outcome() == engine.Ongoing {
			legal := s.Legal(nil)
			path, played = append(path, engine.Forget(s)), append(played, legal[rng.IntN(len(legal))])
			s = s.Play(played[len(played)-1])
		}
		if s.Outcome() == engine.Draw {
			continue
		}
		loser := engine.First
		if s.Outcome() == engine.FirstWins {
			loser = engine.Second
		}
		var want engine.Position
		for _, at := range path {
			if at.ToMove() == loser && minimax(at.State().(tictactoe.State)).Result != Lost {
				want = at
			}
		}
		l, ok := full.Blunder(path, played, loser)
		if ok != (want != nil) || ok && (l.Position != want.String() || l.Moves[l.Played][0] != 'L') {
			t.Errorf("game %d: %+v, %v, want %v", seed, l, ok, want)
		}
		if ok {
			found++
		} else {
			none++
		}
		l, ok = few.Blunder(path, played, loser)
		if !ok {
			continue
		}
		at := slices.IndexFunc(path, func(p engine.Position) bool { return p.String() == l.Position })
		for name, v := range l.Moves {
			a, err := engine.ParseAction(path[at], name)
			if err != nil {
				t.Fatal(err)
			}
			next := path[at].Play(a).State().(tictactoe.State)
			lost := next.Outcome() == engine.WonBy(1-loser) || next.Outcome() == engine.Ongoing && minimax(next).Result == Won
			if v == "H" {
				held++
			} else if (v[0] == 'L') != lost {
				t.Errorf("in %s %s is %s within 40 nodes", l.Position, name, v)
			}
		}
	}
	if found < 50 || held < 20 {
		t.Errorf("%d blunders, %d games without, %d actions held: too few to tell", found, none, held)
	}
}
