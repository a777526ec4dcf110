package onitama

import (
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
	"dojo.example/engine/fivebyfive"
)

func TestLaws(t *testing.T)   { enginetest.Run(t, Classic, image) }
func TestGolden(t *testing.T) { enginetest.Golden(t, Classic, 3) }
func FuzzPlay(f *testing.F)   { enginetest.Fuzz(f, Classic) }

// mirror returns the position with the board mirrored and each card replaced by its mirror image
// (rule 2).
func mirror(s State) State {
	pairs := [cards]uint8{8, 1, 9, 7, 4, 12, 6, 3, 0, 2, 10, 11, 5, 13, 14, 15}
	flip := func(b board) (out board) {
		for cell := range cells {
			if b>>cell&1 != 0 {
				out |= 1 << (cell - cell%side + side - 1 - cell%side)
			}
		}
		return out
	}
	master := func(cell uint8) uint8 {
		if cell == gone {
			return gone
		}
		return cell - cell%side + side - 1 - cell%side
	}
	s.Mine, s.Theirs = flip(s.Mine), flip(s.Theirs)
	s.MyMaster, s.TheirMaster = master(s.MyMaster), master(s.TheirMaster)
	for i, c := range s.hand {
		s.hand[i] = pairs[c]
	}
	return s
}

// image returns the image of a position under the symmetry with index i. The name of the symmetry
// says whether it mirrors the board and which cards it exchanges.
func image(i int, s State) State {
	name := Classic.Symmetries[i].Name
	if strings.Contains(name, "Mirror:true") {
		s = mirror(s)
	}
	if strings.Contains(name, "Mine:true") {
		s.hand[0], s.hand[1] = s.hand[1], s.hand[0]
	}
	if strings.Contains(name, "Theirs:true") {
		s.hand[2], s.hand[3] = s.hand[3], s.hand[2]
	}
	return s
}

func TestSymmetries(t *testing.T) {
	if len(Classic.Symmetries) != 7 {
		t.Errorf("%d symmetries, want 7", len(Classic.Symmetries))
	}
}

// By rule 4.4, a player who has no move can pass with either card, and a player who has a move
// cannot pass.
func TestPasses(t *testing.T) {
	for _, c := range []struct{ pos, want string }{
		{"w...B/w..../W..../w..../w...b 0 3,15 0,1 2", "3 PASS, 15 PASS"},
		{"B...w/....w/....W/....w/b...w 0 7,15 0,1 2", "7 PASS, 15 PASS"},
		{"wwwww/.B.../..b../...../..... 0 4,6 0,1 2", "an error"},
		{"wwwwW/.B.../..b../...../..... 0 4,13 0,1 2", "4 PASS, 13 PASS"},
		{"B...w/....w/....W/....w/b...w 0 7,6 0,1 2", "moves"},
		{"W..../w...B/w...b/w..../w.... 1 0,1 2,5 9", "moves"},
	} {
		s, err := Parse(c.pos)
		if c.want == "an error" {
			if err == nil && s.Outcome() == engine.Ongoing {
				t.Errorf("%s has no master of first and goes on", c.pos)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range s.Legal(nil) {
			names = append(names, s.ActionString(a))
		}
		got := strings.Join(names, ", ")
		if c.want == "moves" {
			if strings.Contains(got, "PASS") || got == "" {
				t.Errorf("%s: %s", c.pos, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.pos, got, c.want)
			continue
		}
		next := s.Play(s.Legal(nil)[0])
		if next.Theirs != fivebyfive.Rotate(s.Mine) || next.hand[centre] != s.hand[0] || next.hand[2] != s.hand[1] || next.hand[3] != s.hand[centre] {
			t.Errorf("%s: passing with the first card leads to %s", c.pos, next)
		}
	}
}

// By rule 5, the 200th action ends the game in a draw unless it wins.
func TestTurnLimit(t *testing.T) {
	s := parse(t, "bbBbb/...../...../...../wwWww 0 8,6 0,12 9 199")
	if got := s.Play(s.Legal(nil)[0]).Outcome(); got != engine.Draw {
		t.Errorf("the 200th action gives %v, want a draw", got)
	}
	s = parse(t, "..b../..W../...../...../B.... 0 4,6 0,12 9 199")
	a, err := engine.ParseAction(engine.Forget(s), "4 C4C5")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Play(a).Outcome(); got != engine.FirstWins {
		t.Errorf("reaching the shrine with the 200th action gives %v", got)
	}
}

func BenchmarkPerft(b *testing.B) {
	s := opening([handSize]card{8, 6, 0, 12, 9})
	n := 0
	for b.Loop() {
		n += engine.Perft(s, 5)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "nodes/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/ply")
}

func BenchmarkEncode(b *testing.B) {
	s := opening([handSize]card{8, 6, 0, 12, 9})
	planes := make([]float32, Classic.Planes.Size())
	for b.Loop() {
		s.Encode(planes)
	}
}
