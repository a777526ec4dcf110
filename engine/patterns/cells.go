package patterns

import "dojo.example/engine"

// cells lists the features of positions; see Describe.
type cells[S engine.State[S]] struct {
	board   Board[S]
	grid    *grid
	goals   goals
	corners []corner

	groups engine.FeatureGroups
	// These are the numbers of the first feature of each kind.
	men, reach, completing, contents int
	byCell                           int // number of groups whose features are numbered by bits
}

// noCell is the number of bits of a set. It also stands for an action that occupies no cell.
const noCell = 64

// sides are the players to move, for whom features are separate if Board.Sides is set.
var sides = [...]string{engine.First.String(), engine.Second.String()}

// newCells returns the features of a game's positions.
func newCells[S engine.State[S]](g *grid, b Board[S]) *cells[S] {
	l := &cells[S]{board: b, grid: g, goals: newGoals(g, b.Goals), corners: newCorners(g, b.Corners)}
	names := g.names()
	pairs := func(mine, theirs string) (first int) {
		first = l.groups.Count()
		if !b.Sides {
			l.groups.Add(mine, names...)
			l.groups.Add(theirs, names...)
			return first
		}
		for _, mover := range sides {
			l.groups.Add(mine+", "+mover+" to move:", names...)
			l.groups.Add(theirs+", "+mover+" to move:", names...)
		}
		return first
	}
	l.men = pairs("my men", "their men")
	l.reach = l.groups.Count()
	if b.Reach != nil {
		for _, content := range [...]string{"free", "my man", "their man"} {
			for _, who := range [...]string{"I reach", "they reach", "both reach"} {
				l.groups.Add(content+", "+who, names...)
			}
		}
	}
	l.completing = l.groups.Count()
	if len(b.Goals) > 0 {
		l.completing = pairs("I win on", "they win on")
	}
	l.byCell, l.contents = len(l.groups), l.groups.Count()
	for i := range l.corners {
		l.corners[i].addTo(&l.groups)
	}
	return l
}

// active returns an upper bound on the number of active features.
func (l *cells[S]) active() int {
	n := len(l.grid.cells) // each cell may have a man
	if l.board.Reach != nil {
		n += len(l.grid.cells)
	}
	if len(l.goals) > 0 {
		n += 2 * len(l.grid.cells)
	}
	return n + len(l.corners)
}

// append appends the features of a position; see [engine.FeatureLister]. It does not allocate memory
// if dst has room.
func (l *cells[S]) append(s *S, dst []uint16) []uint16 {
	mover, side := (*s).ToMove(), 0
	if l.board.Sides {
		side = 2 * noCell * int(mover)
	}
	mine, theirs := l.board.Men(*s, mover)
	free := l.grid.all &^ (mine | theirs)
	dst = engine.AppendFeatures(dst, l.men+side, mine)
	dst = engine.AppendFeatures(dst, l.men+side+noCell, theirs)
	if l.board.Reach != nil {
		my, their := l.board.Reach(*s, mover)
		first := l.reach
		for _, content := range [...]uint64{free, mine, theirs} {
			dst = engine.AppendFeatures(dst, first, content&my&^their)
			dst = engine.AppendFeatures(dst, first+noCell, content&their&^my)
			dst = engine.AppendFeatures(dst, first+2*noCell, content&my&their)
			first += 3 * noCell
		}
	}
	if len(l.goals) > 0 {
		dst = engine.AppendFeatures(dst, l.completing+side, l.goals.completing(mine)&free)
		dst = engine.AppendFeatures(dst, l.completing+side+noCell, l.goals.completing(theirs)&free)
	}
	first := uint16(l.contents)
	for i := range l.corners {
		c := &l.corners[i]
		dst = append(dst, first+c.content(mine, theirs))
		first += uint16(contents(len(c.cells)))
	}
	return dst
}

// image returns the function Relabelling.Feature of a symmetry that moves the man on each cell c to
// the cell to(c) and changes no man.
func (l *cells[S]) image(to func(c cell) cell) func(group, i int) (otherGroup, j int) {
	return func(group, i int) (int, int) {
		if group < l.byCell {
			return group, l.grid.image(to, i)
		}
		number, content := cornerImage(l.corners, to, group-l.byCell, i)
		return l.byCell + number, content
	}
}
