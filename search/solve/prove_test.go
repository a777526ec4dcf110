package solve

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/oanquan"
	"dojo.example/engine/onitama"
	"dojo.example/engine/patchwork"
	"dojo.example/engine/tictactoe"
	"dojo.example/internal/slow"
)

// minimax returns the value of s by exhaustive search.
func minimax[S engine.State[S]](s S) (v Value) {
	for i, a := range s.Legal(nil) {
		next := s.Play(a)
		of := Value{Outcome: next.Outcome()}
		if of.Outcome == engine.Ongoing {
			of = minimax(next)
		}
		if of.Plies++; of.Outcome == engine.Draw {
			of.Plies = 0
		}
		if i == 0 || of.rank(s.ToMove()) > v.rank(s.ToMove()) {
			v = of
		}
	}
	return v
}

// A Prover proves the same values as minimax, including the number of plies.
func TestProver(t *testing.T) {
	prover := Prover[tictactoe.State]{Nodes: 1_000_000}
	results := map[string]int{}
	var visit func(s tictactoe.State, plies int)
	visit = func(s tictactoe.State, plies int) {
		if s.Outcome() != engine.Ongoing {
			return
		}
		if plies >= 3 {
			l, ok := prover.Line(s)
			if want := minimax(s); !ok || l.Value != want.text(s.ToMove()) || l.best != want {
				t.Errorf("%s is %s (%v), want %v", s, l.Value, ok, want)
			}
			results[l.Value[:1]]++
		}
		if plies < 5 {
			for _, a := range s.Legal(nil) {
				visit(s.Play(a), plies+1)
			}
		}
	}
	visit(tictactoe.State{}, 0)
	if results["W"] < 100 || results["D"] < 100 || results["L"] < 100 {
		t.Errorf("results %v, want many of each", results)
	}
	prover.Nodes = 100
	if l, ok := prover.Line(tictactoe.State{}); ok {
		t.Errorf("the start is %s within 100 positions", l.Value)
	}
}

// If its Probe is a table of Onitama positions with few pieces, a Prover can solve positions with
// four pieces on each side. Its results agree with the results of another program.
func TestFourMen(t *testing.T) {
	slow.Test(t, "proves positions of four men")
	table := smallTable(t)
	prover := Prover[onitama.State]{Nodes: 100_000, Probe: table.Value}
	proved := 0
	for i, want := range read[Line](t, onitamaData+"solved8-8_6_0_12_9.jsonl.gz") {
		if i%10 != 0 {
			continue
		}
		s, err := onitama.Parse(want.Position)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := prover.Line(s)
		if !ok {
			continue
		}
		proved++
		for name, v := range want.Moves {
			if g := got.Moves[name]; v != "?" && (g == "" || g[0] != v[0] || len(g) > 1 && len(v) > 1 && g != v) {
				t.Errorf("%s: %s is %s, want %s", s, name, g, v)
			}
		}
	}
	t.Logf("%d positions proved", proved)
	if proved < 3 {
		t.Errorf("only %d positions were proved", proved)
	}
}

// In Ô ăn quan, near the limit of 200 plies, the values of all actions have the same signs as the
// margins that another program computed.
func TestCap(t *testing.T) {
	prover := Prover[oanquan.State]{Nodes: 200_000}
	proved := 0
	for _, v := range read[struct {
		ID, Rules string
		Board     [12]int
		Scores    [2]int
		Player    int
		PliesLeft int `json:"plies_left"`
		Value     int
		Moves     []struct {
			M     [2]int
			Value int
		}
	}](t, "../../engine/oanquan/testdata/deep-cap.jsonl.gz") {
		if v.Rules != "seed" || v.PliesLeft > 6 {
			continue
		}
		board := strings.ReplaceAll(strings.Trim(fmt.Sprint(v.Board), "[]"), " ", ",")
		big := fmt.Sprintf("%d%d", min(1, v.Board[0]/10), min(1, v.Board[6]/10))
		s, err := oanquan.Rules.Parse(fmt.Sprintf("%s %d,%d %d %s %d", board, v.Scores[0], v.Scores[1], v.Player, big, 200-v.PliesLeft))
		if err != nil {
			t.Fatal(v.ID, err)
		}
		l, ok := prover.Line(s)
		if !ok {
			continue
		}
		proved++
		for _, m := range v.Moves {
			name := fmt.Sprintf("%d%c", m.M[0], "- +"[m.M[1]+1])
			if got, want := l.Moves[name], "LDW"[1+cmp.Compare(m.Value, 0)]; got == "" || got[0] != want {
				t.Errorf("%s: in %s %s is %q, want %c", v.ID, s, name, got, want)
			}
		}
	}
	if proved < 50 {
		t.Errorf("only %d positions were proved", proved)
	}
}

// The lines of Sample depend on the seed but not on the number of workers. The positions are from
// the last plies of a game, and in none of them do all actions have the same value.
func TestSample(t *testing.T) {
	sample := func(workers int) (lines []Line) {
		o := Sampling{Positions: 5, Seed: 3, Workers: workers, Each: func(l Line) error { lines = append(lines, l); return nil }}
		if err := Sample(t.Context(), o, Late(oanquan.Rules, 6, 20_000)); err != nil {
			t.Fatal(err)
		}
		return lines
	}
	one := sample(1)
	same := func(a, b Line) bool { return a.Position == b.Position && a.Value == b.Value }
	if other := sample(3); len(one) != 5 || !slices.EqualFunc(one, other, same) {
		t.Errorf("one worker finds %v, three %v", one, other)
	}
	for _, l := range one {
		s, err := oanquan.Rules.Parse(l.Position)
		if err != nil || !l.matters || len(l.Moves) != len(s.Legal(nil)) {
			t.Errorf("%+v: %v", l, err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	candidate := Late(patchwork.Rules, 3, 100_000)(nil)
	found := 0
	for range 10 {
		l, ok, err := candidate(rng)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			found++
			for name, v := range l.Moves {
				if v == "D" { // no game of Patchwork is drawn
					t.Errorf("%s: %s is %s", l.Position, name, v)
				}
			}
		}
	}
	if found < 3 {
		t.Errorf("only %d endings of Patchwork were proved", found)
	}
}
