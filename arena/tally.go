package arena

import (
	"cmp"
	"fmt"
	"slices"

	"dojo/engine"
)

// Tally is how well a player did on some solved positions. Its JSON is the form
// that scripts rely on.
type Tally struct {
	Positions int     `json:"positions"`
	Kept      int     `json:"kept"`   // in which the value was kept
	Share     float64 `json:"share"`  // Kept of Positions
	Wins      int     `json:"wins"`   // positions that the mover wins by best play
	Thrown    int     `json:"thrown"` // of these, where the win was thrown away
}

// A MenTally is the positions with so many men on the board; see engine.Counter.
type MenTally struct {
	Men int `json:"men"`
	Tally
}

// A PliesTally is the positions that are won in so many plies, such as "5-8", or in
// a number that is not known, "?"; "draw" is those that are drawn by best play. In
// lost positions every action keeps the value, so that there is nothing to tally.
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

// Total tallies all answers.
func Total(problems []Problem, kept []bool) (t Tally) {
	for i, p := range problems {
		t.add(p, kept[i])
	}
	return t
}

// ByMen tallies answers by the men on the board, few first. It is nil for a game
// that does not count them.
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

// longest are the last plies of the ranges of ByPlies; games that last longer come
// behind them.
var longest = [...]int{2, 4, 8, 16, 32}

// ByPlies tallies answers by the plies to the end, short ones first.
func ByPlies(problems []Problem, kept []bool) (all []PliesTally) {
	const unknown, draw = len(longest) + 1, len(longest) + 2
	of := map[int]*Tally{}
	for i, p := range problems {
		group, _ := slices.BinarySearch(longest[:], p.Plies)
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

// pliesName is what a group of ByPlies is called.
func pliesName(group, unknown int) string {
	from := 1
	if group > 0 && group <= len(longest) {
		from = longest[group-1] + 1
	}
	switch {
	case group < len(longest):
		return fmt.Sprintf("%d-%d", from, longest[group])
	case group == len(longest):
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
