package solve

import (
	"slices"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
)

// fewStudents is the largest number of students a side in the positions of Endings. With
// two there would be about a hundred times as many positions.
const fewStudents = 1

// onitamaEndings is the table of all games with the same five cards.
type onitamaEndings struct {
	cards []int
	table *Table
}

// Endings solves all positions with the cards of s in which neither player has more than
// two men: ten million positions, in a table of 13 MB. If stop, which may be nil, returns
// true, Endings gives up and returns nil. See [engine.Rules].
func Endings(s onitama.State, stop func() bool) engine.Endings[onitama.State] {
	cards := s.Cards()
	e, err := onitama.NewEndings(cards, fewStudents)
	if err != nil {
		panic(err) // a state has five different cards
	}
	t := NewTable(e)
	if err := t.Solve(func() bool { return stop != nil && stop() }, 1, nil); err != nil {
		return nil
	}
	return onitamaEndings{cards, t}
}

func (e onitamaEndings) Fit(s *onitama.State) bool { return slices.Equal(e.cards, s.Cards()) }

// Find looks s up in the table. It returns a draw if winning takes more turns than the
// limit of turns, which the table does not know, leaves.
func (e onitamaEndings) Find(s *onitama.State) (o engine.Outcome, plies int, ok bool) {
	v, ok := e.table.Value(*s)
	if !ok {
		return engine.Ongoing, 0, false
	}
	switch {
	case v.Plies > s.TurnsLeft() || v.Result == Drawn:
		return engine.Draw, 0, true
	case v.Result == Won:
		return engine.WonBy(s.ToMove()), v.Plies, true
	}
	return engine.WonBy(1 - s.ToMove()), v.Plies, true
}
