package arena

import "slices"

// Tally counts how well a player did in solved positions. Scripts rely on its JSON.
type Tally struct {
	Positions int     `json:"positions"`
	Kept      int     `json:"kept"`   // positions in which the player's action keeps the value
	Share     float64 `json:"share"`  // Kept / Positions
	Wins      int     `json:"wins"`   // positions that the mover wins by best play
	Thrown    int     `json:"thrown"` // those of Wins in which the player's action gives the win away
}

// A PliesTally counts the positions that are won in a range of plies, such as "5-8", or in an
// unknown number, "?", or that are drawn by best play, "draw". In lost positions every action
// keeps the value, so that there is nothing to count.
type PliesTally struct {
	Plies string `json:"plies"`
	Tally
}

func (t *Tally) add(p Problem, kept bool) {
	t.Positions++
	if kept {
		t.Kept++
	}
	if p.Value == 'W' {
		t.Wins++
		if !kept {
			t.Thrown++
		}
	}
	t.Share = float64(t.Kept) / float64(t.Positions)
}

// Total counts all answers; kept[i] says whether the value of problems[i] was kept.
func Total(problems []Problem, kept []bool) (t Tally) {
	for i, p := range problems {
		t.add(p, kept[i])
	}
	return t
}

// plyRanges are the ranges of ByPlies. Each ends at its bound; the last three have none.
var (
	plyBounds = []int{2, 4, 8, 16, 32}
	plyRanges = [...]string{"1-2", "3-4", "5-8", "9-16", "17-32", "33+", "?", "draw"}
)

// ByPlies counts answers by the number of plies to the end, in ascending order.
func ByPlies(problems []Problem, kept []bool) (all []PliesTally) {
	var of [len(plyRanges)]Tally
	for i, p := range problems {
		group, _ := slices.BinarySearch(plyBounds, p.Plies)
		switch {
		case p.Value == 'D':
			group = len(plyRanges) - 1
		case p.Plies == 0:
			group = len(plyRanges) - 2
		}
		of[group].add(p, kept[i])
	}
	for group, t := range of {
		if t.Positions > 0 {
			all = append(all, PliesTally{plyRanges[group], t})
		}
	}
	return all
}
