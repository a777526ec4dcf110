package ultimate

import (
	"math/bits"
	"strconv"

	"dojo.example/engine"
)

// feat numbers the features of a position. They are from the perspective of the player to move. The
// cells of closed boards have no features, because they no longer matter. A sum over stones cannot
// find lines, so there are features for cells that complete a line and for lines with one stone.
var feat = func() (f struct {
	groups engine.FeatureGroups

	// These are the numbers of the first feature of each group. The group of the opponent follows
	// the group of the player to move.
	stones, wins, single, boards, match, bigSingle, next, nextCells, nextWins int
}) {
	var cellNames, lineNames, lineOfBoard []string
	for a := range cells {
		cellNames = append(cellNames, cellName(squareOf[a]))
	}
	for l := range lines {
		lineNames = append(lineNames, strconv.Itoa(l+1))
	}
	for b := range boards {
		for l := range lines {
			lineOfBoard = append(lineOfBoard, boardNames[b]+strconv.Itoa(l+1))
		}
	}
	small := boardNames[:boards]
	f.stones = f.groups.Add("my stone", cellNames...)
	f.groups.Add("their stone", cellNames...)
	f.wins = f.groups.Add("I win a board on", cellNames...)
	f.groups.Add("they win a board on", cellNames...)
	f.single = f.groups.Add("line with one stone of mine", lineOfBoard...)
	f.groups.Add("line with one stone of theirs", lineOfBoard...)
	f.boards = f.groups.Add("my board", small...)
	f.groups.Add("their board", small...)
	f.groups.Add("board without winner", small...)
	f.match = f.groups.Add("I win the game with board", small...)
	f.groups.Add("they win the game with board", small...)
	f.bigSingle = f.groups.Add("line with one board of mine", lineNames...)
	f.groups.Add("line with one board of theirs", lineNames...)
	f.next = f.groups.Add("next board", boardNames[:]...)
	f.nextCells = f.groups.Add("my stone in the next board", small...)
	f.groups.Add("their stone in the next board", small...)
	f.groups.Add("I win the next board on", small...)
	f.groups.Add("they win the next board on", small...)
	f.nextWins = f.groups.Add("I can win the next board", small...)
	f.groups.Add("they could win the next board", small...)
	return f
}()

// activeFeatures is the maximum number of active features. A small board has at most boardFeatures
// of them: stones, cells that complete a line, and lines with one stone. The other terms are the
// won boards, the lines of the big board, and the features of the next board.
const (
	boardFeatures  = 13
	activeFeatures = boards*boardFeatures + 2*boards + 2*8 + 1 + 2*9 + 2*9 + 2
)

// singles lists, for each set of cells of a small board, the lines with exactly one cell of the
// set. touched lists the lines with at least one.
var singles, touched = func() (one, some [full + 1]uint8) {
	for set := range uint16(full + 1) {
		for i, l := range lines {
			if set&l != 0 {
				some[set] |= 1 << i
			}
			if bits.OnesCount16(set&l) == 1 {
				one[set] |= 1 << i
			}
		}
	}
	return one, some
}()

// A view holds what both kinds of features need to know about the small boards.
type view struct {
	mine, theirs       [boards]uint16 // stones in each open board
	myWins, theirWins  [boards]uint16 // cells of each open board that complete a line
	canWin, couldLose  uint16         // open boards with such cells, for each player
	myMatch, theirGame uint16         // open boards with which a player wins the game
}

func (v *view) fill(s *State) {
	for set := full &^ s.closed; set != 0; set &= set - 1 {
		b := bits.TrailingZeros16(set)
		mine, theirs := s.mine.board(b), s.theirs.board(b)
		v.mine[b], v.theirs[b] = mine, theirs
		if v.myWins[b] = winning[mine] &^ theirs; v.myWins[b] != 0 {
			v.canWin |= 1 << b
		}
		if v.theirWins[b] = winning[theirs] &^ mine; v.theirWins[b] != 0 {
			v.couldLose |= 1 << b
		}
	}
	v.myMatch = winning[s.myBoards] &^ s.closed
	v.theirGame = winning[s.theirBoards] &^ s.closed
}

// appendBoards appends the features of nine sets of cells, one for each small board.
func appendBoards(dst []uint16, first int, sets *[boards]uint16) []uint16 {
	for i := 0; i < boards; i += 3 {
		row := uint64(sets[i]) | uint64(sets[i+1])<<9 | uint64(sets[i+2])<<18
		dst = engine.AppendFeatures(dst, first+9*i, row)
	}
	return dst
}

// Features appends the active features; see engine.FeatureLister.
func (s State) Features(dst []uint16) []uint16 {
	var v view
	v.fill(&s)
	dst = appendBoards(dst, feat.stones, &v.mine)
	dst = appendBoards(dst, feat.stones+cells, &v.theirs)
	dst = appendBoards(dst, feat.wins, &v.myWins)
	dst = appendBoards(dst, feat.wins+cells, &v.theirWins)
	var mine, theirs uint64 // the lines of eight boards
	for b := range boards - 1 {
		mine |= uint64(singles[v.mine[b]]&^touched[v.theirs[b]]) << (8 * b)
		theirs |= uint64(singles[v.theirs[b]]&^touched[v.mine[b]]) << (8 * b)
	}
	const last = boards - 1
	dst = engine.AppendFeatures(dst, feat.single, mine)
	dst = engine.AppendFeatures(dst, feat.single+8*last, uint64(singles[v.mine[last]]&^touched[v.theirs[last]]))
	dst = engine.AppendFeatures(dst, feat.single+8*boards, theirs)
	dst = engine.AppendFeatures(dst, feat.single+8*boards+8*last, uint64(singles[v.theirs[last]]&^touched[v.mine[last]]))

	drawn := s.closed &^ (s.myBoards | s.theirBoards)
	dst = engine.AppendFeatures(dst, feat.boards, uint64(s.myBoards)|uint64(s.theirBoards)<<9|uint64(drawn)<<18)
	dst = engine.AppendFeatures(dst, feat.match, uint64(v.myMatch)|uint64(v.theirGame)<<9)
	big := uint64(singles[s.myBoards] &^ touched[s.theirBoards|drawn])
	big |= uint64(singles[s.theirBoards]&^touched[s.myBoards|drawn]) << 8
	dst = engine.AppendFeatures(dst, feat.bigSingle, big)
	dst = append(dst, uint16(feat.next)+uint16(s.next))
	if s.next == anywhere {
		return dst
	}
	b := s.next
	there := uint64(v.mine[b]) | uint64(v.theirs[b])<<9 | uint64(v.myWins[b])<<18 | uint64(v.theirWins[b])<<27
	dst = engine.AppendFeatures(dst, feat.nextCells, there)
	return engine.AppendFeatures(dst, feat.nextWins, uint64(v.canWin&(1<<b))|uint64(v.couldLose&(1<<b))<<9)
}

// An action has one feature. It combines flags for the effect of the stone, the small board that
// the opponent gets next, and flags for the big board:
//
//	((target*8 + effect)*4 + value)*2 + danger
const (
	wins     = 1 << iota // effect: the stone wins its small board
	blocks               // effect: the opponent could have won the small board on this cell
	makesTwo             // effect: the stone makes a new threat to win the small board

	winsGame  = 1 // value: the player to move would win the game with this small board
	theirGame = 2 // value: the opponent would win the game with this small board

	// Targets. A free choice is target 0, or 1 if the opponent can win a small board then. For
	// other boards, canWinThere and iThreaten are added to oneBoard.
	oneBoard    = 2
	canWinThere = 1 // the opponent can win the board
	iThreaten   = 2 // the player to move could win the board

	actionFeatures = 6 * 8 * 4 * 2
)

// ActionFeatures appends the feature of each action; see engine.ActionFeatureLister.
func (s State) ActionFeatures(legal []engine.Action, dst []uint16) []uint16 {
	var v view
	v.fill(&s)
	for _, a := range legal {
		dst = append(dst, v.effect(&s, int(a)/9, int(a)%9))
	}
	return dst
}

// effect returns the feature of the action that puts a stone on cell c of small board b.
func (v *view) effect(s *State, b, c int) uint16 {
	stone, board := uint16(1)<<c, uint16(1)<<b
	own := v.mine[b] | stone
	myWins := winning[own] &^ v.theirs[b]
	effect := v.theirWins[b] >> c & 1 * blocks
	open, canWin, couldLose := full&^s.closed, v.canWin|board, v.couldLose
	if myWins == 0 {
		canWin &^= board
	}
	if v.theirWins[b] == stone {
		couldLose &^= board
	}
	if isLine[own] || own|v.theirs[b] == full {
		open &^= board
	}
	if isLine[own] {
		effect |= wins
	} else if myWins&^v.myWins[b] != 0 {
		effect |= makesTwo
	}
	reach := open // small boards in which the opponent may answer
	if open>>c&1 != 0 {
		reach = stone
	}
	target := min(couldLose&reach, 1)
	if open>>c&1 != 0 {
		target = oneBoard + target*canWinThere + canWin>>c&1*iThreaten
	}
	value := v.myMatch>>b&1*winsGame | v.theirGame>>b&1*theirGame
	danger := min(couldLose&reach&v.theirGame, 1)
	return ((target*8+effect)*4+value)*2 + danger
}

// symmetries lists the rotations and reflections of the big board. Each of them moves the small
// boards and the cells within them in the same way. Action features do not change.
var symmetries = func() (list []engine.Relabelling) {
	for _, turn := range []struct {
		name string
		to   [9]int
	}{
		{"rotate 90", [9]int{2, 5, 8, 1, 4, 7, 0, 3, 6}},
		{"rotate 180", [9]int{8, 7, 6, 5, 4, 3, 2, 1, 0}},
		{"rotate 270", [9]int{6, 3, 0, 7, 4, 1, 8, 5, 2}},
		{"mirror columns", [9]int{2, 1, 0, 5, 4, 3, 8, 7, 6}},
		{"mirror rows", [9]int{6, 7, 8, 3, 4, 5, 0, 1, 2}},
		{"transpose", [9]int{0, 3, 6, 1, 4, 7, 2, 5, 8}},
		{"antitranspose", [9]int{8, 5, 2, 7, 4, 1, 6, 3, 0}},
	} {
		action := func(a int) int { return 9*turn.to[a/9] + turn.to[a%9] }
		list = append(list, engine.Relabelling{
			Name:    turn.name,
			Element: func(cell, channel int) (int, int) { return squareOf[action(actionAt[cell])], channel },
			Action:  action,
			Feature: func(group, i int) (int, int) { return group, relabel(turn.to, len(feat.groups[group].Each), i) },
		})
	}
	return list
}()

// relabel returns the image of element i of a group of n features, if the cells of a board move as
// in to.
func relabel(to [9]int, n, i int) int {
	line := func(l int) int {
		var image uint16
		for c := range 9 {
			image |= lines[l] >> c & 1 << to[c]
		}
		for other, set := range lines {
			if set == image {
				return other
			}
		}
		panic("ultimate: a symmetry does not map lines to lines")
	}
	switch n {
	case cells:
		return 9*to[i/9] + to[i%9]
	case len(lines):
		return line(i)
	case boards * len(lines):
		return 8*to[i/8] + line(i%8)
	}
	if i < boards { // a group of small boards or of cells in a small board
		i = to[i]
	}
	return i
}
