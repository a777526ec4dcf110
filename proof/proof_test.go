package proof_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dojo/engine"
	"dojo/engine/oanquan"
	"dojo/engine/onitama"
	"dojo/engine/patchwork"
	"dojo/engine/tictactoe"
	"dojo/engine/wallonitama"
	"dojo/proof"
	"dojo/solve"
)

// cards are those of the table.
var cards = []int{8, 6, 0, 12, 9}

// What is proven is what a table of all positions with few men says, also where the limit
// of turns is near, and short wins are found.
func TestAgreesWithTable(t *testing.T) {
	endings, err := onitama.NewEndings(cards, 1)
	if err != nil {
		t.Fatal(err)
	}
	table := solve.NewTable(endings)
	if err := table.Solve(t.Context(), 2, nil); err != nil {
		t.Fatal(err)
	}
	search := proof.New[onitama.State]()
	rng := rand.New(rand.NewPCG(3, 1))
	proven, short, late := 0, 0, 0
	for range 1500 {
		s := fewMen(t, rng)
		if s.Outcome() != engine.Ongoing {
			continue
		}
		v, ok := table.Value(s)
		if !ok {
			t.Fatalf("%s is not in the table", s)
		}
		_, left := s.Reduce()
		for _, who := range []engine.Player{s.ToMove(), 1 - s.ToMove()} {
			want := v.Result == solve.Won && who == s.ToMove() || v.Result == solve.Lost && who != s.ToMove()
			got := search.Wins(s, who, proof.Limit{Nodes: 1000})
			switch {
			case got && (!want || v.Plies > left):
				t.Errorf("%s: a win of %s is proven, the table says %v", s, who, v)
			case want && v.Plies <= 3 && v.Plies <= left && !got:
				t.Errorf("%s: no win of %s is found, the table says %v", s, who, v)
			case got && who == s.ToMove():
				next := s.Play(search.Winning())
				if after, ok := table.Value(next); next.Outcome() == engine.Ongoing && ok && after.Result != solve.Lost {
					t.Errorf("%s: the winning action leads to %s, which the table says is %v", s, next, after)
				}
			}
			if got {
				proven++
			}
			if want && v.Plies <= 3 {
				short++
			}
		}
		if left < 40 {
			late++
		}
	}
	if proven < 300 || short < 200 || late < 20 {
		t.Errorf("%d proofs, %d short wins and %d positions near the last turn: too few to tell", proven, short, late)
	}
}

// fewMen draws a position of two masters and up to a student a side, which may be over.
func fewMen(t *testing.T, rng *rand.Rand) onitama.State {
	t.Helper()
	board := []byte("...../...../...../...../.....")
	for i, man := range "WBwb"[:2+rng.IntN(3)] {
		at := rng.IntN(len(board))
		for board[at] != '.' {
			at = (at + i + 1) % len(board)
		}
		board[at] = byte(man)
	}
	c := rng.Perm(len(cards))
	for i := range c {
		c[i] = cards[c[i]]
	}
	text := fmt.Sprintf("%s %d %d,%d %d,%d %d %d", board, rng.IntN(2), c[0], c[1], c[2], c[3], c[4], rng.IntN(onitama.Turns))
	s, err := onitama.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// In every game, late positions are proven won by whom an exhaustive search says.
func TestAgreesWithProver(t *testing.T) {
	t.Run("tictactoe", func(t *testing.T) { agrees(t, tictactoe.Rules, 6, 100) })
	t.Run("onitama", func(t *testing.T) { agrees(t, onitama.Classic, 4, 40) })
	t.Run("wallonitama", func(t *testing.T) { agrees(t, wallonitama.Rules, 4, 40) })
	t.Run("oanquan", func(t *testing.T) { agrees(t, oanquan.Rules, 6, 40) })
	t.Run("patchwork", func(t *testing.T) { agrees(t, patchwork.Rules, 2, 10) })
}

func agrees[S engine.State[S]](t *testing.T, rules engine.Rules[S], plies, games int) {
	search := proof.New[S]()
	prover := solve.Prover[S]{Nodes: 20_000}
	rng := rand.New(rand.NewPCG(3, 2))
	yes, no := 0, 0
	for range games {
		s, ok := solve.Draw(rules.Start(rng), rng, func(_ S, left int) bool { return left <= plies })
		if !ok {
			continue
		}
		l, ok := prover.Line(s)
		if !ok {
			continue
		}
		for _, who := range []engine.Player{s.ToMove(), 1 - s.ToMove()} {
			want := l.Value[0] == 'W' && who == s.ToMove() || l.Value[0] == 'L' && who != s.ToMove()
			if got := search.Wins(s, who, proof.Limit{Nodes: 100_000}); got != want {
				t.Errorf("%s is %s for the player to move: a win of %s is proven: %v", s, l.Value, who, got)
			}
			if want {
				yes++
			} else {
				no++
			}
		}
	}
	if yes < games/10 || no < games/10 {
		t.Errorf("%d wins and %d others: too few to tell", yes, no)
	}
}

// The same questions have the same answers and cost the same after Reset, and less if they
// are asked again without it; a search that is told to stop does.
func TestRepeats(t *testing.T) {
	search := proof.New[onitama.State]()
	ask := func() (costs []int, wins, nodes int) {
		rng := rand.New(rand.NewPCG(3, 3))
		for len(costs) < 200 {
			s := onitama.Shuffled(cards, rng)
			for range 10 + rng.IntN(20) {
				if s.Outcome() == engine.Ongoing {
					legal := s.Legal(nil)
					s = s.Play(legal[rng.IntN(len(legal))])
				}
			}
			if s.Outcome() != engine.Ongoing {
				continue
			}
			if search.Wins(s, s.ToMove(), proof.Limit{Nodes: 2000}) {
				wins++
			}
			costs = append(costs, 2*search.Nodes+wins)
			nodes += search.Nodes
		}
		return costs, wins, nodes
	}
	first, wins, nodes := ask()
	if wins < 20 || wins > 180 {
		t.Errorf("%d of %d positions are won: too few, or too many, to tell", wins, len(first))
	}
	if _, more, fewer := ask(); more < wins || fewer >= nodes {
		t.Errorf("%d wins cost %d positions, asked again %d cost %d", wins, nodes, more, fewer)
	}
	search.Reset()
	if again, _, _ := ask(); !slices.Equal(again, first) {
		t.Error("after Reset the same questions cost other numbers of positions")
	}
	asked := 0
	s := onitama.Shuffled(cards, rand.New(rand.NewPCG(1, 1)))
	search.Wins(s, s.ToMove(), proof.Limit{Stop: func() bool { asked++; return asked == 3 }})
	if asked != 3 || search.Nodes > 5000 {
		t.Errorf("a search that was told to stop the third time asked %d times and made %d positions", asked, search.Nodes)
	}
}

// Short finds the wins at hand of the player to move and the threats that cannot be met,
// and makes no garbage.
func TestShort(t *testing.T) {
	t.Run("onitama", func(t *testing.T) { shortWins(t, onitama.Classic) })
	t.Run("wallonitama", func(t *testing.T) { shortWins(t, wallonitama.Rules) })
}

func shortWins[S engine.State[S]](t *testing.T, rules engine.Rules[S]) {
	search := proof.New[S]()
	rng := rand.New(rand.NewPCG(3, 4))
	wins, losses := 0, 0
	var s, lostIn S
	for range 150 {
		for s = rules.Start(rng); s.Outcome() == engine.Ongoing; {
			mover := s.ToMove()
			now, lost := winsAtOnce(s), loses(s, mover)
			want := engine.Ongoing
			if now {
				want = engine.WonBy(mover)
				wins++
			}
			if got := search.Short(&s, 1); got != want {
				t.Fatalf("%s: within a turn %v, want %v", s, got, want)
			}
			got := search.Short(&s, 2)
			if lost && any(s).(engine.Striker).Strikes(1-mover) {
				want, lostIn = engine.WonBy(1-mover), s
				losses++
			}
			if got != want {
				t.Fatalf("%s: within two turns %v, want %v", s, got, want)
			}
			legal := s.Legal(nil)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if n := testing.AllocsPerRun(100, func() { search.Short(&lostIn, 2) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if wins < 50 || losses < 5 {
		t.Errorf("%d wins and %d losses: too few to tell", wins, losses)
	}
}

func winsAtOnce[S engine.State[S]](s S) bool {
	for _, a := range s.Legal(nil) {
		if s.Play(a).Outcome() == engine.WonBy(s.ToMove()) {
			return true
		}
	}
	return false
}

// loses reports whether the other player can win at once however mover ends his turn.
func loses[S engine.State[S]](s S, mover engine.Player) bool {
	if s.Outcome() != engine.Ongoing {
		return false
	}
	if s.ToMove() != mover {
		return winsAtOnce(s)
	}
	for _, a := range s.Legal(nil) {
		if !loses(s.Play(a), mover) {
			return false
		}
	}
	return true
}
