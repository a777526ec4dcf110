package connectfour

import (
	"fmt"
	"math/bits"
	"strings"

	"dojo.example/engine"
)

// feat numbers the features of a position for sparse networks. They are from the perspective of the
// player to move. These are the reasons for the choice of features:
//
//   - A line of four cells is open for a player if he has discs on it and the other player has
//     none. The value of the line depends on which of its cells have discs, and a sum over discs
//     cannot express this. Lines that nobody can complete any more have no feature.
//   - A threat is a free cell on which a disc of one player would complete four. Threats decide
//     hard positions (Allis 1988, "A Knowledge-based Approach of Connect-Four"): when nothing else
//     is left, a player must play the cell below a threat. The row of the threat and the parity of
//     the discs decide which player this is. The parity says who is to move, so the features of
//     threats do so too.
//   - In a column, only the lowest threats count. A feature describes the number of discs in a
//     column and the lowest threat of each player.
//   - The last features say how the game would end without new threats; see fillUp.
var feat = func() (f struct {
	groups engine.FeatureGroups

	// These are the numbers of the first feature of the first group of each kind.
	discs, mover, lines, threats, columns int

	// The first index of fills is the player to move. The second index is the result of fillUp.
	fills [2][3]engine.Scale
}) {
	f.discs = f.groups.Add("my discs", bitNames()...)
	f.groups.Add("their discs", bitNames()...)
	f.mover = f.groups.Add("to move:", movers[:]...)
	f.lines = f.groups.Count()
	for _, line := range lines.cells {
		f.groups.Add("line "+bitName(line[0])+"-"+bitName(line[3]), lineNames()...)
	}
	f.threats = f.groups.Count()
	for _, mover := range movers {
		f.groups.Add("my threats, "+mover+" to move:", bitNames()...)
		f.groups.Add("their threats, "+mover+" to move:", bitNames()...)
	}
	f.columns = f.groups.Count()
	for _, mover := range movers {
		for x := range width {
			f.groups.Add(fmt.Sprintf("column %c, %s to move:", 'a'+x, mover), columnNames()...)
		}
	}
	for p, mover := range movers {
		for i, winner := range [...]string{"nobody wins", "I win", "they win"} {
			f.fills[p][i] = f.groups.AddScale(fmt.Sprintf("%s, %s to move, discs:", winner, mover), engine.Buckets{0, 5, 10, 15, 20, 25, 30, 35})
		}
	}
	return f
}()

// These constants are the numbers of the first group of each kind; see mirrorFeature.
const (
	groupLines   = 3
	groupThreats = groupLines + 69
	groupColumns = groupThreats + 2*2
	groupFills   = groupColumns + 2*width
)

const (
	bitCount  = width * column         // number of bits of a bitboard
	perLine   = 2 * (1<<4 - 1)         // features of a line: the contents of a line with discs of one player
	perColumn = height * noRow * noRow // features of a column: the discs in it, and the rows of both lowest threats
	noRow     = height + 1             // number of rows, and no row at all

	// activeFeatures is the maximum number of active features: discs, the player to move, lines,
	// threats, columns, and the result of fillUp.
	activeFeatures = width*height + 1 + 69 + width*height + width + 1
)

var movers = [...]string{engine.First.String(), engine.Second.String()}

// bitName returns the name of the cell at a bit, such as a1. The bit above a column has a name too,
// but its features are never active.
func bitName(bit int) string { return fmt.Sprintf("%c%d", 'a'+bit/column, 1+bit%column) }

func bitNames() (names []string) {
	for bit := range bitCount {
		names = append(names, bitName(bit))
	}
	return names
}

// lineNames returns the names of the contents of a line: m is one of my discs, t is one of theirs.
func lineNames() (names []string) {
	for _, disc := range "mt" {
		for set := 1; set < 1<<4; set++ {
			name := []byte("....")
			for i := range name {
				if set>>i&1 != 0 {
					name[i] = byte(disc)
				}
			}
			names = append(names, string(name))
		}
	}
	return names
}

func columnNames() (names []string) {
	row := func(y int) string { return strings.Replace(fmt.Sprint(1+y), fmt.Sprint(noRow), "none", 1) }
	for i := range perColumn {
		names = append(names, fmt.Sprintf("%d discs, threats %s and %s", i/noRow/noRow, row(i/noRow%noRow), row(i%noRow)))
	}
	return names
}

// Features appends the active features; see engine.FeatureLister.
func (s State) Features(dst []uint16) []uint16 {
	full := s.mine | s.theirs
	mover := bits.OnesCount64(full) & 1
	dst = engine.AppendFeatures(dst, feat.discs, s.mine)
	dst = engine.AppendFeatures(dst, feat.discs+bitCount, s.theirs)
	dst = append(dst, uint16(feat.mover+mover))
	for d, step := range steps {
		mine, theirs := some(s.mine, step), some(s.theirs, step)
		for open := (mine ^ theirs) & lines.starts[d]; open != 0; open &= open - 1 {
			from := bits.TrailingZeros64(open)
			f := feat.lines + perLine*int(lines.number[d][from]) + contents(full>>from, step) - 1
			f += int(theirs>>from&1) * (perLine / 2)
			dst = append(dst, uint16(f))
		}
	}
	mine, theirs := completing(s.mine)&^full, completing(s.theirs)&^full
	dst = engine.AppendFeatures(dst, feat.threats+2*bitCount*mover, mine)
	dst = engine.AppendFeatures(dst, feat.threats+2*bitCount*mover+bitCount, theirs)
	for x := range width {
		const rows = 1<<height - 1
		my, their := mine>>(x*column)&rows, theirs>>(x*column)&rows
		if my|their == 0 {
			continue
		}
		discs := bits.OnesCount64(full >> (x * column) & rows)
		lowest := bits.TrailingZeros64(my|1<<height)*noRow + bits.TrailingZeros64(their|1<<height)
		dst = append(dst, uint16(feat.columns+(mover*width+x)*perColumn+discs*noRow*noRow+lowest))
	}
	winner, discs := fillUp(full, [2]uint64{mine, theirs})
	return feat.fills[mover][winner].Append(dst, discs)
}

// mirrorBit returns the image of a bit of a bitboard if left and right change places.
func mirrorBit(bit int) int { return (width-1-bit/column)*column + bit%column }

// mirrorFeature returns the image of a feature; see engine.Relabelling. The image of a line that is
// not vertical is written in the opposite direction.
func mirrorFeature(group, i int) (otherGroup, j int) {
	switch {
	case group < 2 || group >= groupThreats && group < groupColumns:
		return group, mirrorBit(i)
	case group >= groupLines && group < groupThreats:
		line := lines.cells[group-groupLines]
		if line[1] == line[0]+1 {
			return groupLines + lineAt(mirrorBit(line[0]), mirrorBit(line[3])), i
		}
		set := i%(perLine/2) + 1
		reversed := int(bits.Reverse8(uint8(set)) >> 4)
		return groupLines + lineAt(mirrorBit(line[3]), mirrorBit(line[0])), i - set + reversed
	case group >= groupColumns && group < groupFills:
		mover, x := (group-groupColumns)/width, (group-groupColumns)%width
		return groupColumns + mover*width + width - 1 - x, i
	}
	return group, i
}

// lineAt returns the number of the line with the given first and last cell.
func lineAt(first, last int) int {
	for n, line := range lines.cells {
		if line[0] == first && line[3] == last {
			return n
		}
	}
	panic("connectfour: there is no such line") // cannot happen: the image of a line is a line
}
