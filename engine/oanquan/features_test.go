package oanquan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
)

// named returns the names of a position's active features that contain the given word.
func named(s State, word string) (names []string) {
	for _, f := range s.Features(nil) {
		if name := feat.groups.NameOf(f); strings.Contains(name, word) {
			names = append(names, name)
		}
	}
	return names
}

// For each action, a feature shows how many stones it wins. The actions are those of the mover and
// those that the opponent would have if it were the opponent's turn.
func TestWins(t *testing.T) {
	for _, opt := range []Options{Default, Traditional} {
		rng := rand.New(rand.NewPCG(1, 3))
		wins := 0
		for range 200 {
			for s := deal(opt, rng); s.Outcome() == engine.Ongoing; {
				other := s
				other.seat = 1 - s.seat
				want := append(played(s, 0), played(other, 6)...)
				if got := named(s, "wins"); !slices.Equal(got, want) {
					t.Fatalf("%s has the features %q, want %q", s, got, want)
				}
				wins += len(want)
				legal := s.Legal(nil)
				s = s.Play(legal[rng.IntN(len(legal))])
			}
		}
		if wins < 10_000 {
			t.Errorf("only %d actions would win stones", wins)
		}
	}
}

// played plays each legal action of s and returns the names of the gain features that s should
// therefore have. The names number the mover's folk fields from 1 + from.
func played(s State, from int) (names []string) {
	for _, a := range s.Legal(nil) {
		field, dir := s.split(a)
		after := s.Play(a)
		won := int(after.scores[s.seat] - s.scores[s.seat])
		if i := gains.Of(won); i >= 0 {
			names = append(names, fmt.Sprintf("%d%c wins %s", field-low(s.seat)+1+from, "- +"[dir+1], gains.Names()[i]))
		}
	}
	return names
}

// The features for net gains agree with a calculation that plays all actions and answers. The net
// gain of an action is its gain (the stones that it wins) minus the gain of the best answer.
func TestNets(t *testing.T) {
	for _, opt := range []Options{Default, Traditional, {BigValue: 5, FolkStones: 2, FirstPlayer: 1, EmptyKingStops: true, EndMover: true, MaxPlies: 40}} {
		rng := rand.New(rand.NewPCG(1, 4))
		losses, refills := 0, 0
		for range 100 {
			for s := deal(opt, rng); s.Outcome() == engine.Ongoing; {
				var want []string
				legal := s.Legal(nil)
				for _, a := range legal {
					after := s.Play(a)
					best := 0
					for _, b := range after.Legal(nil) {
						best = max(best, int(after.Play(b).scores[after.seat]-after.scores[after.seat]))
					}
					net := int(after.scores[s.seat]-s.scores[s.seat]) - best
					field, dir := s.split(a)
					want = append(want, fmt.Sprintf("%d%c nets %s", field-low(s.seat)+1, "- +"[dir+1], nets.Names()[nets.Of(net)]))
					if net < 0 {
						losses++
					}
					if after.Outcome() == engine.Ongoing && after.scores[after.seat] < s.scores[after.seat] {
						refills++
					}
				}
				if got := named(s, "nets"); !slices.Equal(got, want) {
					t.Fatalf("%s has the features %q, want %q", s, got, want)
				}
				s = s.Play(legal[rng.IntN(len(legal))])
			}
		}
		if losses < 1000 || refills < 100 {
			t.Errorf("%+v: only %d actions lose stones, %d make the other refill", opt, losses, refills)
		}
	}
}

// The remaining features agree with the numbers in the position, seen from the mover's perspective.
// For example, player 2 sees field 7 as field 1 and king field 6 as king field 0.
func TestNumbers(t *testing.T) {
	for line, want := range map[string]string{
		"10,5,5,5,5,5,10,5,5,5,5,5 0,0 2 11 0": "field 0: 10, field 1: 5, field 2: 5, field 3: 5, field 4: 5, field 5: 5, " +
			"field 6: 10, field 7: 5, field 8: 5, field 9: 5, field 10: 5, field 11: 5, " +
			"big stone on 0, big stone on 6, margin 0, my store 0 to 4, their store 0 to 4, plies left 65 or more",
		"12,0,1,0,0,18,0,0,3,0,0,0 21,15 2 10 190": "field 2: 3, field 6: 12, field 8: 1, field 11: 17 to 18, " +
			"big stone on 6, margin -24 to -20, my store 15 to 19, their store 20 to 24, plies left 9 to 16",
		"12,0,1,0,0,18,0,0,3,0,0,0 21,15 1 10 199": "field 0: 12, field 2: 1, field 5: 17 to 18, field 8: 3, " +
			"big stone on 0, margin 20 to 24, my store 20 to 24, their store 15 to 19, plies left 1",
	} {
		s, err := parse(Default, line)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.DeleteFunc(named(s, ""), func(name string) bool {
			return strings.Contains(name, "wins") || strings.Contains(name, "nets")
		})
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s has the features\n%s, want\n%s", line, text, want)
		}
	}
}
