package arena

import (
	"cmp"
	"fmt"
	"slices"

	"dojo/engine"
)

// Tally counts how well a player did in solved positions. Scripts rely on its JSON.
type Tally struct {
	Positions int     `json:"positions"`
	Kept      int     `json:"kept"`   // positions in which the player's action keeps the value
	Share     float64 `json:"share"`  // Kept / Positions
	Wins      int     `json:"wins"`   // positions that the mover wins by best play
	Thrown    int     `json:"thrown"` // those of Wins in which the player's action gives the win away
}

// A MenTally counts the positions with a certain number of men on the board; see
// engine.Counter.
type MenTally struct {
	Men int `json:"men"`
	Tally
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

// ByMen counts answers by the number of men on the board, in ascending order. It is nil for a
// game that does not implement engine.Counter.
func ByMen(problems []Problem, kept []bool) (all []MenTally) {
	of := map[int]*Tally{}
	for i, p := range problems {
		counter, ok := p.Position.State().(engine.Counter)
		if !ok {
			return nil
		}
		addTo(of, counter.Men(), p, kept[i])
	}
	for men, t := range of {
		all = append(all, MenTally{men, *t})
	}
	slices.SortFunc(all, func(a, b MenTally) int { return cmp.Compare(a.Men, b.Men) })
	return all
}

// plyBounds are the upper bounds of the ranges of ByPlies, which has one more range for
// longer games.
var plyBounds = [...]int{2, 4, 8, 16, 32}

// ByPlies counts answers by the number of plies to the end, in ascending order.
func ByPlies(problems []Problem, kept []bool) (all []PliesTally) {
	const unknown, draw = len(plyBounds) + 1, len(plyBounds) + 2
	of := map[int]*Tally{}
	for i, p := range problems {
		group, _ := slices.BinarySearch(plyBounds[:], p.Plies)
		switch {
		case p.Value == 'D':
			group = draw
		case p.Plies == 0:
			group = unknown
		}
		addTo(of, group, p, kept[i])
	}
	for group := range draw + 1 {
		if t := of[group]; t != nil {
			all = append(all, PliesTally{pliesName(group, unknown), *t})
		}
	}
	return all
}

// pliesName returns the name of a range of ByPlies.
func pliesName(group, unknown int) string {
	from := 1
	if group > 0 && group <= len(plyBounds) {
		from = plyBounds[group-1] + 1
	}
	switch {
	case group < len(plyBounds):
		return fmt.Sprintf("%d-%d", from, plyBounds[group])
	case group == len(plyBounds):
		return fmt.Sprintf("%d+", from)
	case group == unknown:
		return "?"
	}
	return "draw"
}

func addTo(of map[int]*Tally, key int, p Problem, kept bool) {
	if of[key] == nil {
		of[key] = new(Tally)
	}
	of[key].add(p, kept)
}
