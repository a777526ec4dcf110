package engine

// Lists is what networks of sparse features read of some positions, a row a
// position: its active features and its legal actions, both seen by the player
// to move there. The zero value has no rows.
type Lists struct {
	Features []uint16 // of all rows, one row behind the other
	Legal    []Action // the same

	ends []listsEnd
}

// A listsEnd is where the lists of a row end.
type listsEnd struct{ features, legal int }

// Reset takes all rows away and keeps the memory.
func (l *Lists) Reset() {
	l.Features, l.Legal, l.ends = l.Features[:0], l.Legal[:0], l.ends[:0]
}

// EndRow makes what was appended to Features and Legal since the last row the
// next row.
func (l *Lists) EndRow() { l.ends = append(l.ends, listsEnd{len(l.Features), len(l.Legal)}) }

// Rows is the number of rows.
func (l *Lists) Rows() int { return len(l.ends) }

// FeaturesOf is the active features of a row.
func (l *Lists) FeaturesOf(row int) []uint16 {
	from := 0
	if row > 0 {
		from = l.ends[row-1].features
	}
	return l.Features[from:l.ends[row].features]
}

// LegalOf is the legal actions of a row.
func (l *Lists) LegalOf(row int) []Action {
	from, to := l.LegalRange(row, row+1)
	return l.Legal[from:to]
}

// LegalRange is where the legal actions of the rows first ≤ row < end lie in
// Legal: those at from ≤ i < to.
func (l *Lists) LegalRange(first, end int) (from, to int) {
	if first > 0 {
		from = l.ends[first-1].legal
	}
	if end > 0 {
		to = l.ends[end-1].legal
	}
	return from, to
}

// AppendTo appends a state of rules with features as a row. It allocates as
// little as [ListFeatures].
func AppendTo[S State[S]](l *Lists, s *S) {
	l.Features = ListFeatures(s, l.Features)
	l.Legal = (*s).Legal(l.Legal)
	l.EndRow()
}

// Append appends a position of a game with features as a row.
func (l *Lists) Append(p Position) {
	l.Features = p.State().(FeatureLister).Features(l.Features)
	l.Legal = p.Legal(l.Legal)
	l.EndRow()
}
