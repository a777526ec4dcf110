package ultimate

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
)

func TestLaws(t *testing.T)   { enginetest.Run(t, Rules, image) }
func TestGolden(t *testing.T) { enginetest.Golden(t, Rules, 1) }
func FuzzPlay(f *testing.F)   { enginetest.Fuzz(f, Rules) }

// image returns the image of s under the symmetry with index i.
func image(i int, s State) State {
	to := Rules.Symmetries[i].Actions
	t := State{next: s.next, mover: s.mover}
	for a := range cells {
		t.mine[to[a]/word] |= s.mine[a/word] >> (a % word) & 1 << (to[a] % word)
		t.theirs[to[a]/word] |= s.theirs[a/word] >> (a % word) & 1 << (to[a] % word)
	}
	for b := range boards {
		other := to[9*b] / 9
		t.myBoards |= s.myBoards >> b & 1 << other
		t.theirBoards |= s.theirBoards >> b & 1 << other
		t.closed |= s.closed >> b & 1 << other
	}
	if s.next != anywhere {
		t.next = uint8(to[9*int(s.next)] / 9)
	}
	return t
}

// The players have the same rights: positions stay valid when the players are exchanged.
func TestSwapped(t *testing.T) {
	enginetest.Swapped(t, Rules, func(s State) State {
		s.mover = 1 - s.mover
		return s
	})
}

// The counts up to depth 5 also follow from the rules without a program. All 81 cells are free at
// the start. Each later stone has nine cells, except that a small board has one cell less for each
// earlier stone in it.
func TestPerft(t *testing.T) {
	for depth, want := range []int{1, 81, 720, 6336, 55080, 473256} {
		if got := engine.Perft(start, depth); got != want {
			t.Errorf("depth %d: %d, want %d", depth, got, want)
		}
	}
}

func TestOutcomes(t *testing.T) {
	enginetest.Outcomes(t, Rules, map[string]engine.Outcome{
		// First has won the top row of small boards.
		"xxx..o.../o..xxx.../.o....xxx/o..o...../.o....o../....o..../........./o......../......... second w": engine.FirstWins,
		// Second has won three small boards on a diagonal.
		"..x...ooo/........./x......../...o...../x...o..../.....ox../o..x...../o..x...../o.....x.x first any": engine.SecondWins,
		// First has won three small boards, but not in a row.
		"xxx..o.../o..xxx.../.o......./o..o...../.o....o../....o..../x......../x..o...../x........ second any": engine.Ongoing,
	})
}

func TestCountedBoards(t *testing.T) {
	for lead, want := range map[string]engine.Outcome{
		"xxx ooo xxx xxx ooo ooo ooo xxx xox": engine.Draw,
		"xxx ooo xxx xxx ooo ooo ooo xxx xxo": engine.Draw,
		"xxx ooo xxx xxx ooo xox ooo xxx oxo": engine.FirstWins,
		"xxx ooo xxx xox ooo ooo ooo xxx oxo": engine.SecondWins,
	} {
		var s State
		for b, kind := range strings.Fields(lead) {
			switch {
			case kind == "xxx":
				s.myBoards |= 1 << b
			case kind == "ooo":
				s.theirBoards |= 1 << b
			}
			s.closed |= 1 << b
		}
		if got := s.Outcome(); got != want {
			t.Errorf("%s: %v, want %v", lead, got, want)
		}
	}
}

// Strikes agrees with a search one action deep, for both players.
func TestStrikes(t *testing.T) {
	var found [2]int
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		for s := start; s.Outcome() == engine.Ongoing; {
			for _, p := range []engine.Player{engine.First, engine.Second} {
				as := s
				if p != s.mover {
					as = State{
						mine: s.theirs, theirs: s.mine, myBoards: s.theirBoards, theirBoards: s.myBoards,
						closed: s.closed, next: s.next, mover: p,
					}
				}
				want := false
				for _, a := range as.Legal(nil) {
					want = want || as.Play(a).Outcome() == engine.WonBy(p)
				}
				if got := s.Strikes(p); got != want {
					t.Fatalf("%v: Strikes(%v) = %v, want %v", s, p, got, want)
				}
				if want {
					found[p]++
				}
			}
			legal := s.Legal(nil)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if found[0] < 100 || found[1] < 100 {
		t.Errorf("only %v positions had a winning action", found)
	}
}

// boardFeatures is the largest number of features that describe the cells of one small board.
func TestBoardFeatures(t *testing.T) {
	most := 0
	for mine := range uint16(full + 1) {
		for theirs := range uint16(full + 1) {
			if mine&theirs != 0 || mine|theirs == full || isLine[mine] || isLine[theirs] {
				continue
			}
			var s State
			s.mine[0], s.theirs[0], s.next = uint32(mine), uint32(theirs), 1
			most = max(most, len(s.Features(nil))-1)
		}
	}
	if most != boardFeatures {
		t.Errorf("a small board has up to %d features, want %d", most, boardFeatures)
	}
}

// The flags of actions say what happens when the action is played.
func TestActionFeatures(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		for s := start; s.Outcome() == engine.Ongoing; {
			legal := s.Legal(nil)
			for i, f := range s.ActionFeatures(legal, nil) {
				after := s.Play(legal[i])
				danger, effect, target := f&1 != 0, int(f/8%8), int(f/64)
				if won := after.theirBoards != s.myBoards; won != (effect&wins != 0) {
					t.Fatalf("%v %s: feature %d, the board is won: %v", s, s.ActionString(legal[i]), f, won)
				}
				if free := after.next == anywhere; free != (target < oneBoard) {
					t.Fatalf("%v %s: feature %d, free choice: %v", s, s.ActionString(legal[i]), f, free)
				}
				winsBoard := false
				for _, a := range after.Legal(nil) {
					winsBoard = winsBoard || after.Play(a).theirBoards != after.myBoards
				}
				if got := target%2 == canWinThere; got != winsBoard && after.Outcome() == engine.Ongoing {
					t.Fatalf("%v %s: feature %d, the opponent can win a board: %v", s, s.ActionString(legal[i]), f, winsBoard)
				}
				if danger && after.Outcome() == engine.Ongoing && !after.Strikes(after.mover) {
					t.Fatalf("%v %s: feature %d, but the opponent cannot win", s, s.ActionString(legal[i]), f)
				}
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
}

// The protocol reads the referee's questions to both players correctly during a whole game.
func TestReferee(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var after, read [2]engine.Position
		for p := engine.Forget(start); p.Outcome() == engine.Ongoing; {
			me := p.ToMove()
			question, err := referee.Ask(p, after[me])
			if err != nil {
				t.Fatal(err)
			}
			got, err := referee.Questions(strings.NewReader(question))(read[me])
			if err != nil || got.State() != p.State() {
				t.Fatalf("%q is read as %v, want %v: %v", question, got, p, err)
			}
			legal := p.Legal(nil)
			a := legal[rng.IntN(len(legal))]
			if name, err := referee.ActionIn(referee.LineOf(p, a)); err != nil || name != p.ActionString(a) {
				t.Fatalf("the answer %q is read as %q, want %q: %v", referee.LineOf(p, a), name, p.ActionString(a), err)
			}
			p = p.Play(a)
			after[me], read[me] = p, p
		}
	}
	for _, bad := range []string{"9 0\n1\n", "-1 -1\n3\n", "-1 -1\nx\n", "-1 -1\n81\n0 0\n", "-1 -1\n", "0 0\n9\n8 8\n", "0\n", "a b\n"} {
		if _, err := referee.Questions(strings.NewReader(bad))(nil); err == nil || err == io.EOF {
			t.Errorf("%q is read: %v", bad, err)
		}
	}
	if _, err := referee.Ask(engine.Forget(State{next: 3}), nil); err == nil {
		t.Error("a position that is not from the start is told")
	}
}

func TestParseMistakes(t *testing.T) {
	const row = "........./"
	empty := strings.TrimSuffix(strings.Repeat(row, 9), "/")
	for _, text := range []string{
		"", empty, empty + " third any", empty + " first", empty + " first middle",
		strings.Repeat(row, 8) + "........ first any", strings.Repeat(row, 8) + " first any",
		strings.Repeat(row, 8) + "........z first any",
		strings.Repeat(row, 8) + "x.......o first any",                        // no board is closed
		"xxx....../ooo....../" + strings.Repeat(row, 6) + "......... first e", // both have won a board
		"xxx....../......ooo/" + strings.Repeat(row, 6) + "......... first nw",
		"xx......./" + strings.Repeat(row, 7) + "......... first n",
	} {
		if s, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v", text, s)
		}
	}
}
