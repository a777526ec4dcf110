package patchwork

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
)

// The features of the offers and of the advance agree with the positions after buying or advancing.
func TestFeaturesAgreeWithActions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	specials, incomes, again := 0, 0, 0
	for range 60 {
		for s := Rules.Start(rng); s.Outcome() == engine.Ongoing; {
			features := s.Features(nil)
			has := func(f int) bool { return slices.Contains(features, uint16(f)) }
			legal := s.Legal(nil)
			var seen [offers]bool
			for _, a := range legal {
				plane := int(a) % perCell
				k, first, cost := plane/orientations, feat.flags+flagOffers+plane/orientations*perOffer+4, 0
				switch {
				case s.pending:
					continue
				case plane == planeAdvance:
					first, cost = feat.flags+flagAdvance, -max(0, min(int(s.time[1-s.seat])+1, finish)-int(s.time[s.seat]))
				case seen[k]:
					continue
				default:
					seen[k] = true
					cost = pieces[s.circle[k]].cost
				}
				next := s.Play(a)
				if plane != planeAdvance && !next.pending && has(first-1) != (next.seat == s.seat) {
					t.Fatalf("%s: after %s the other moves: %v", s, s.ActionString(a), next.seat != s.seat)
				}
				paid := int(next.buttons[s.seat]) > int(s.buttons[s.seat])-cost
				if next.income[s.seat] > 0 && has(first) != paid {
					t.Fatalf("%s: %s brings income: %v", s, s.ActionString(a), paid)
				}
				if next.quilts[s.seat] != whole && has(first+1) != next.pending {
					t.Fatalf("%s: %s takes a special patch: %v", s, s.ActionString(a), next.pending)
				}
				specials, incomes, again = specials+count(next.pending), incomes+count(paid), again+count(next.seat == s.seat)
			}
			for k := range min(offers, int(s.left)) {
				first := feat.flags + flagOffers + k*perOffer
				if !s.pending && seen[k] != (has(first) && has(first+1)) {
					t.Fatalf("%s: offer %d can be bought: %v", s, k+1, seen[k])
				}
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if specials < 50 || incomes < 50 || again < 50 {
		t.Errorf("only %d special patches, %d incomes, %d turns kept", specials, incomes, again)
	}
}

func count(on bool) int {
	if on {
		return 1
	}
	return 0
}

// holes and seam return the same numbers as a count cell by cell.
func TestHolesAndSeams(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for range 2000 {
		var q quilt
		for cell := range cells {
			if rng.IntN(3) > 0 {
				q = q.or(bit(cell))
			}
		}
		holes, seam := 0, 0
		for cell := range cells {
			x, y, lonely := cell%side, cell/side, true
			for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
				x, y := x+d[0], y+d[1]
				if x < 0 || y < 0 || x >= side || y >= side {
					continue
				}
				if q.has(cell) && !q.has(y*side+x) {
					seam++
				}
				lonely = lonely && q.has(y*side+x)
			}
			holes += count(lonely && !q.has(cell))
		}
		if q.holes() != holes || q.seam() != seam {
			t.Fatalf("%v has %d holes and a seam of %d, want %d and %d", q, q.holes(), q.seam(), holes, seam)
		}
	}
}

// The remaining features agree with the numbers of a position, seen from the player to move.
func TestNumbers(t *testing.T) {
	rules := New("seven", true)
	for line, want := range map[string]string{
		"XeGSgRO 30:12:7:0/0/0/0/0/0/0/0/0 35:41:0:1ff/0/0/0/0/0/0/0/1 1 0 - 1": "their quilt AA BA CA DA EA FA GA HA IA II; " +
			"place 1: X; place 2: e; place 3: G; place 4: S; place 5: g; place 6: R; places 7 to 9: O; my buttons 11 to 12; " +
			"their buttons 41 or more; my income 7; my time 30; their time 35; they are ahead by 5; next special patch on 44; " +
			"margin -24 to -20; their seam 8 to 11; 7×7: mine",
		"- 53:0:3:1/0/0/0/0/0/0/0/0 40:4:0:0/0/0/0/0/0/0/0/0 2 0 1 -": "their quilt IA; my buttons 4; their income 3; " +
			"my time 40; their time 53; they are ahead by 6 or more; margin 2 to 3; their seam 1 to 7; 7×7: open; first to finish: they",
	} {
		s, err := rules.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		last := -1
		for _, f := range s.Features(nil) {
			group, i := feat.groups.At(int(f))
			switch g := feat.groups[group]; {
			case int(f) >= feat.flags+flagOffers:
			case group == last:
				got[len(got)-1] += " " + g.Each[i]
			default:
				got = append(got, g.Name+" "+g.Each[i])
			}
			last = group
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%s has the features\n%s, want\n%s", line, text, want)
		}
	}
}

// A position with two full quilts has at most activeFeatures active features.
func TestFullQuilts(t *testing.T) {
	const full = "1ff/1ff/1ff/1ff/1ff/1ff/1ff/1ff/1ff"
	s, err := New("seven", true).Parse("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg 10:50:9:" + full + " 16:50:9:" + full + " 1 0 - 1")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.Features(nil)); n < 2*cells+30 || n > activeFeatures {
		t.Errorf("%s has %d features, want some more than %d and at most %d", s, n, 2*cells+30, activeFeatures)
	}
}
