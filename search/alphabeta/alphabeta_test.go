package alphabeta

import (
	"fmt"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
)

// exactly returns the exact value of a position of tic-tac-toe for First: 1, 0 or -1.
func exactly(s tictactoe.State, known map[tictactoe.State]int) int {
	if o := s.Outcome(); o != engine.Ongoing {
		return int(o.Value())
	}
	if v, ok := known[s]; ok {
		return v
	}
	sign := int(s.ToMove().Sign())
	best := -2
	for _, a := range s.Legal(nil) {
		best = max(best, sign*exactly(s.Play(a), known))
	}
	known[s] = sign * best
	return sign * best
}

// The search plays tic-tac-toe perfectly: in each position it finds the value and chooses an action
// that keeps this value.
func TestExact(t *testing.T) {
	known := map[tictactoe.State]int{}
	exactly(tictactoe.State{}, known)
	search := New(tictactoe.Rules)
	for s, want := range known {
		search.Reset()
		r := search.Search(engine.Forget(s), Limit{})
		if len(s.Legal(nil)) > 1 && sign(r.Value) != want {
			t.Errorf("%s is worth %d, want the sign %d", s, r.Value, want)
		}
		if got := exactly(s.Play(r.Action), known); got != want {
			t.Errorf("in %s it plays %s, which is worth %d, want %d", s, s.ActionString(r.Action), got, want)
		}
	}
	if len(known) != 4520 { // 5,478 positions are reachable, and in 4,520 of them the game goes on
		t.Errorf("%d positions, want 4520", len(known))
	}
}

func sign(v int) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// sticks is a game in which a player may move several times in a row. The mover takes one or two
// sticks. If the number of sticks left is divisible by 3, the mover moves again. Whoever takes the
// last stick wins.
type sticks struct {
	left        uint8
	mover, last engine.Player
}

func (s sticks) ToMove() engine.Player { return s.mover }
func (s sticks) Outcome() engine.Outcome {
	if s.left > 0 {
		return engine.Ongoing
	}
	return engine.WonBy(s.last)
}
func (s sticks) Legal(dst []engine.Action) []engine.Action {
	for n := range min(s.left, 2) {
		dst = append(dst, engine.Action(n))
	}
	return dst
}
func (s sticks) Play(a engine.Action) sticks {
	next := sticks{left: s.left - uint8(a) - 1, mover: 1 - s.mover, last: s.mover}
	if next.left%3 == 0 {
		next.mover = s.mover
	}
	return next
}
func (s sticks) Encode(p []float32)                  { p[0] = float32(s.left) }
func (s sticks) ActionString(a engine.Action) string { return fmt.Sprint(a + 1) }
func (s sticks) String() string                      { return fmt.Sprint(s.left, s.mover) }

// In a game in which a player may move several times in a row, the search agrees with minimax,
// whichever player is to move.
func TestTurnsRepeat(t *testing.T) {
	rules := engine.Rules[sticks]{Spec: engine.Spec{Name: "sticks", Actions: 2, MaxPlies: 14}}
	var minimax func(s sticks) int
	minimax = func(s sticks) int {
		if s.left == 0 {
			return int(s.Outcome().Value())
		}
		sign := int(s.mover.Sign())
		best := -1
		for _, a := range s.Legal(nil) {
			best = max(best, sign*minimax(s.Play(a)))
		}
		return sign * best
	}
	search := New(rules)
	for left := uint8(1); left < 14; left++ {
		for mover := range 2 {
			s := sticks{left: left, mover: engine.Player(mover)}
			search.Reset()
			if r := search.Search(engine.Forget(s), Limit{}); minimax(s.Play(r.Action)) != minimax(s) {
				t.Errorf("with %d sticks it takes %d, which is not the best", left, r.Action+1)
			}
		}
	}
}

// A win in fewer plies has a larger value. The plies are counted from the root to the end of the
// game.
func TestDistance(t *testing.T) {
	for text, want := range map[string]int{
		"xx.oo....": Win - 1,  // x completes its row
		"x..oo.xx.": -Win + 1, // o completes its row
		"x.x.o.o.x": Win - 2,  // x has two threats, and o can stop only one of them
	} {
		s, err := tictactoe.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if r := New(tictactoe.Rules).Search(engine.Forget(s), Limit{}); r.Value != want {
			t.Errorf("%s is worth %d, want %d", text, r.Value, want)
		}
	}
}

// A search ends when it reaches its limit, and even then it returns an action.
func TestLimit(t *testing.T) {
	start := engine.Forget(tictactoe.State{})
	for _, nodes := range []int{1, 10, 100, 1000} {
		r := New(tictactoe.Rules).Search(start, Limit{Nodes: nodes})
		if r.Nodes < nodes || r.Nodes > nodes+9 { // the last node can add up to nine positions
			t.Errorf("with %d nodes it makes %d positions", nodes, r.Nodes)
		}
	}
	asked := 0
	r := New(tictactoe.Rules).Search(start, Limit{Stop: func() bool { asked++; return asked == 2 }})
	if asked != 2 || r.Nodes > 3*askEvery {
		t.Errorf("stopped at the second question, it asks %d times and makes %d positions", asked, r.Nodes)
	}
	if r := New(tictactoe.Rules).Search(start, Limit{Depth: 3}); r.Depth != 3 {
		t.Errorf("it searches to depth %d, want 3", r.Depth)
	}
}

// A table entry can answer a search with a different window if its bound allows it. For a forced
// win, the table counts the plies from the stored position, whereas the tree counts them from the
// root.
func TestTable(t *testing.T) {
	var table table
	table.reset()
	for i, c := range []struct {
		high, value int // value is stored; a search with the window 0 to high has found it
		ask         node
		want        int
		ok          bool
	}{
		{10, 5, node{3, 0, -1, 1}, 5, true},
		{10, 12, node{3, 0, 3, 11}, 12, true},    // the value is at least 12, which answers the window 3 to 11
		{10, 12, node{3, 0, 3, 20}, 12, false},   // but not the window 3 to 20
		{10, -12, node{3, 0, -11, 0}, -12, true}, // the value is at most -12, which answers the window -11 to 0
		{10, -12, node{3, 0, -20, 0}, -12, false},
		{10, 5, node{4, 0, -1, 1}, 0, false}, // the entry has depth 3, but depth 4 is needed
		{infinity, Win - 5, node{3, 4, -1, 1}, Win - 7, true},
	} {
		hash := uint64(i)*slots + 1
		table.store(hash, 1, c.value, node{3, 2, 0, c.high})
		e, known := table.find(hash)
		if !known {
			t.Fatalf("case %d: not found", i)
		}
		if v, ok := e.answers(c.ask); ok != c.ok || ok && v != c.want {
			t.Errorf("case %d: it answers %d, %v, want %d, %v", i, v, ok, c.want, c.ok)
		}
		if _, known := table.find(hash + slots); known {
			t.Errorf("case %d: another position of the slot is found", i)
		}
	}
}
