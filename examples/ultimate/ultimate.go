// Package ultimate implements Ultimate Tic-Tac-Toe with the rules of CodinGame's arena. It is an
// example of a game in a module of its own.
package ultimate

import (
	_ "embed"
	"math/bits"
	"math/rand/v2"

	"dojo.example/engine"
)

// State is a position. The big board has nine small boards, numbered row by row from the top, and
// each small board has nine cells, numbered in the same way. Action 9*board+cell puts a stone on a
// cell.
//
//	boards and cells   0 1 2
//	                   3 4 5
//	                   6 7 8
type State struct {
	mine, theirs stones // stones of the player to move; stones of the opponent

	myBoards, theirBoards uint16 // bit b: the player has won small board b
	closed                uint16 // bit b: small board b is won or full

	next  uint8 // small board in which the next stone must go, or anywhere
	mover engine.Player
}

// stones holds a set of cells. Bit 9*(b%3)+c of word b/3 stands for cell c of small board b. So the
// bits have the order of the actions.
type stones [3]uint32

const (
	side     = 9 // cells in a row of the big board
	boards   = 9
	cells    = boards * 9
	full     = 1<<9 - 1
	word     = 27            // cells in a word of stones
	anywhere = uint8(boards) // value of State.next if the player may choose the small board
)

// board returns the cells of small board b in which s has stones.
func (s *stones) board(b int) uint16 { return uint16(s[b/3]>>(b%3*9)) & full }

// Texts with the rules for people, in English and Vietnamese.
var (
	//go:embed rules.md
	rulesEN string
	//go:embed rules.vi.md
	rulesVI string
)

// Rules defines Ultimate Tic-Tac-Toe for dojo.
var Rules = engine.Rules[State]{
	Spec: engine.Spec{
		Name:           "ultimate",
		Version:        1,
		MaxText:        112,
		Actions:        cells,
		Planes:         engine.Shape{C: 5, H: side, W: side},
		MaxPlies:       cells,
		Features:       feat.groups.Count(),
		ActiveFeatures: activeFeatures,
		ActionFeatures: actionFeatures,
		PerAction:      1,
	},
	Start:         func(*rand.Rand) State { return start },
	Parse:         Parse,
	Protocols:     []engine.Protocol{referee},
	FeatureGroups: feat.groups,
	English:       engine.About{Title: "Ultimate Tic-Tac-Toe", Text: rulesEN},
	Vietnamese:    engine.About{Title: "Ultimate Tic-Tac-Toe (Cờ ca-rô chín bàn)", Text: rulesVI},
}.WithSymmetries(symmetries...)

// start is the position in which games begin.
var start = State{next: anywhere}

var lines = [8]uint16{0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124}

// winning lists, for each set of cells of a small board, the other cells that complete a line of
// three. isLine reports whether a set contains a line of three.
var winning, isLine = func() (cells [full + 1]uint16, line [full + 1]bool) {
	for set := range uint16(full + 1) {
		for _, l := range lines {
			line[set] = line[set] || set&l == l
			if rest := l &^ set; bits.OnesCount16(rest) == 1 {
				cells[set] |= rest
			}
		}
	}
	return cells, line
}()

// openCells returns, for each set of three closed small boards in a row of the big board, the cells
// of the other boards of this row.
var openCells = [8]uint32{
	0o777777777, 0o777777000, 0o777000777, 0o777000000,
	0o000777777, 0o000777000, 0o000000777, 0,
}

// ToMove returns the player who acts next.
func (s State) ToMove() engine.Player { return s.mover }

// Outcome returns the result of the game. A player wins with three small boards in a row. If all
// small boards are closed and nobody has three in a row, the player with more small boards wins.
// Only the player who has just moved can have completed a row.
func (s State) Outcome() engine.Outcome {
	switch {
	case isLine[s.theirBoards]:
		return engine.WonBy(1 - s.mover)
	case s.closed != full:
		return engine.Ongoing
	}
	lead := bits.OnesCount16(s.myBoards) - bits.OnesCount16(s.theirBoards)
	return engine.OutcomeOf(lead * int(s.mover.Sign()))
}

// Legal appends the empty cells of the small board that the opponent's last cell has chosen. If
// that board is closed, it appends the empty cells of all open boards.
func (s State) Legal(dst []engine.Action) []engine.Action {
	if s.next != anywhere {
		b := int(s.next)
		first := engine.Action(9 * b)
		for free := full &^ (s.mine.board(b) | s.theirs.board(b)); free != 0; free &= free - 1 {
			dst = append(dst, first+engine.Action(bits.TrailingZeros16(free)))
		}
		return dst
	}
	for i := range s.mine {
		first := engine.Action(word * i)
		for free := openCells[s.closed>>(3*i)&7] &^ (s.mine[i] | s.theirs[i]); free != 0; free &= free - 1 {
			dst = append(dst, first+engine.Action(bits.TrailingZeros32(free)))
		}
	}
	return dst
}

// Play puts a stone of the player to move on a cell, and closes the small board if it is now won or
// full.
func (s State) Play(a engine.Action) State {
	b, c := a/9, a%9
	t := State{
		mine: s.theirs, theirs: s.mine,
		myBoards: s.theirBoards, theirBoards: s.myBoards,
		closed: s.closed, next: uint8(c), mover: 1 - s.mover,
	}
	t.theirs[a/word] |= 1 << (a % word)
	own := t.theirs.board(int(b))
	if isLine[own] {
		t.theirBoards |= 1 << b
		t.closed |= 1 << b
	} else if own|t.mine.board(int(b)) == full {
		t.closed |= 1 << b
	}
	if t.closed>>c&1 != 0 {
		t.next = anywhere
	}
	return t
}

// allowed returns the small boards in which the player to move may put a stone.
func (s *State) allowed() uint16 {
	if s.next == anywhere {
		return full &^ s.closed
	}
	return 1 << s.next
}

// Encode writes five channels: the stones of the player to move, the opponent's stones, the cells
// of the small boards that each of them has won, and the cells of the boards in which the next
// stone may go.
func (s State) Encode(planes []float32) {
	allowed := s.allowed()
	for a := range cells {
		b := a / 9
		at := planes[5*squareOf[a]:][:5]
		at[0] = float32(s.mine[a/word] >> (a % word) & 1)
		at[1] = float32(s.theirs[a/word] >> (a % word) & 1)
		at[2] = float32(s.myBoards >> b & 1)
		at[3] = float32(s.theirBoards >> b & 1)
		at[4] = float32(allowed >> b & 1)
	}
}

// Heuristic returns First's number of small boards minus Second's; see engine.Heuristic.
func (s State) Heuristic() int {
	return int(s.mover.Sign()) * (bits.OnesCount16(s.myBoards) - bits.OnesCount16(s.theirBoards))
}

// Hash returns a hash of the position; see engine.Hasher. The won and the closed boards follow from
// the stones.
func (s State) Hash() uint64 {
	h := engine.Mix(uint64(s.mover)|uint64(s.next)<<1, uint64(s.mine[0])|uint64(s.theirs[0])<<32)
	h = engine.Mix(h, uint64(s.mine[1])|uint64(s.theirs[1])<<32)
	return engine.Mix(h, uint64(s.mine[2])|uint64(s.theirs[2])<<32)
}

// Strikes reports whether p could win with one action; see engine.Striker.
func (s State) Strikes(p engine.Player) bool {
	if p != s.mover {
		s.mine, s.theirs = s.theirs, s.mine
		s.myBoards, s.theirBoards = s.theirBoards, s.myBoards
	}
	open := full &^ s.closed
	if open&(open-1) == 0 {
		return s.strikesLast(bits.TrailingZeros16(open))
	}
	// With two open boards or more, only a row of three small boards ends the game.
	for set := winning[s.myBoards] & s.allowed() &^ s.closed; set != 0; set &= set - 1 {
		b := bits.TrailingZeros16(set)
		if winning[s.mine.board(b)]&^s.theirs.board(b) != 0 {
			return true
		}
	}
	return false
}

// strikesLast reports whether the player with the stones s.mine can win with one action in b, the
// last open board. The game also ends if this action fills the board.
func (s *State) strikesLast(b int) bool {
	mine, theirs := s.mine.board(b), s.theirs.board(b)
	lead := bits.OnesCount16(s.myBoards) - bits.OnesCount16(s.theirBoards)
	if winning[mine]&^theirs != 0 {
		return lead >= 0 || winning[s.myBoards]>>b&1 != 0
	}
	free := full &^ (mine | theirs)
	return free&(free-1) == 0 && lead > 0
}
