package arena

import (
	"reflect"
	"slices"
	"testing"
)

// Each model plays the one before it and the first; Elo adds up.
func TestLadder(t *testing.T) {
	var played [][2]int
	var rungs []Rung
	err := Ladder([]string{"a", "b", "c"}, func(i, j int) (Result, error) {
		played = append(played, [2]int{i, j})
		r := Result{Wins: 30, Losses: 10}
		r.Pairs[2], r.Pairs[4] = 10, 10
		return r, nil
	}, func(r Rung) error {
		if max(0, 2*len(rungs)-1) != len(played) {
			t.Errorf("rung %d is shown after %d matches", len(rungs), len(played))
		}
		rungs = append(rungs, r)
		return nil
	})
	if err != nil || !reflect.DeepEqual(played, [][2]int{{1, 0}, {2, 1}, {2, 0}}) {
		t.Fatalf("played %v, %v", played, err)
	}
	if rungs[0].Previous != nil || rungs[1].First != nil || rungs[2].First.B != "a" || rungs[2].Previous.B != "b" {
		t.Errorf("rungs %+v", rungs)
	}
	if one := rungs[1].Elo; one <= 0 || rungs[2].Elo != 2*one || rungs[2].EloHigh-rungs[2].Elo <= rungs[1].EloHigh-one {
		t.Errorf("Elo %+v: want the sum of the steps, and a wider interval", rungs)
	}
}

func TestSpaced(t *testing.T) {
	for _, c := range []struct {
		n, count int
		want     []int
	}{{5, 3, []int{0, 2, 4}}, {3, 9, []int{0, 1, 2}}, {10, 2, []int{0, 9}}, {1, 4, []int{0}}, {0, 2, []int{}}} {
		if got := Spaced(c.n, c.count); !slices.Equal(got, c.want) {
			t.Errorf("Spaced(%d, %d) = %v, want %v", c.n, c.count, got, c.want)
		}
	}
}
