// Package oanquan implements Ô ăn quan, the Vietnamese sowing game. The section numbers and the
// numbers of questions (A1 to A16) in this package refer to rules.md. Twelve fields lie in a ring.
// Fields 0 and 6 are the king fields (quan), fields 1 to 5 are the folk fields of seat 0, and
// fields 7 to 11 are the folk fields of seat 1. In texts, seat 0 is player 1 and seat 1 is player
// 2. The player who begins is First. By default, player 2 begins.
package oanquan

import (
	_ "embed"
	"math/rand/v2"
	"strings"

	"dojo.example/engine"
)

// Texts with the rules for people, in English and Vietnamese.
var (
	//go:embed rules.md
	english string
	//go:embed rules.vi.md
	vietnamese string
)

const (
	fields = 12
	side   = 5 // number of folk fields per player
)

// Options selects among the rule variants of section 6. Default is the game described in the
// document on which this program is based.
type Options struct {
	BigValue       uint8 // value of a big stone: 10 or 5 (question A1)
	FolkStones     uint8 // stones in each folk field at the start
	FirstPlayer    uint8 // player who begins: 1 or 2 (question A16)
	EmptyKingStops bool  // whether a turn ends when the next field is an empty king field (A2)

	// YoungKing protects a king field that still has its big stone: it cannot be captured while it
	// has fewer than YoungKing small stones (question A4).
	YoungKing uint8

	// Borrow lets a player borrow stones if he has too few to refill his side. If Borrow is false,
	// the game ends instead (question A8).
	Borrow bool

	// EndMover determines whose empty side ends the game. If EndMover is true, only the side of the
	// player to move counts. If it is false, the game ends when either side is empty (question A9).
	EndMover bool

	// MaxPlies is the number of plies after which the game ends and the current scores decide
	// (section 4). If it is 0, there is no limit, and only people can play the game.
	MaxPlies uint16
}

// Default is the game of the original document. It adds a limit on the number of plies, because
// some games would otherwise go on forever, repeating the same positions.
var Default = Options{BigValue: 10, FolkStones: 5, FirstPlayer: 2, MaxPlies: 200}

// Traditional is the game as people usually play it. A king field with few small stones cannot be
// captured (quan non), and a player may borrow stones.
var Traditional = Options{BigValue: 10, FolkStones: 5, FirstPlayer: 2, YoungKing: 5, Borrow: true, EndMover: true, MaxPlies: 200}

// Rules is the game with the default options.
var Rules = New("oanquan", Default)

// Configured returns the game with the options in set. Section 6 lists the names of the options.
func Configured(name string, set *engine.Settings) engine.Rules[State] {
	opt := Default
	if set.Either("rules", false, "seed", "traditional") {
		opt = Traditional
	}
	if opt.BigValue = 5; set.Either("big_value", true, "5", "10") {
		opt.BigValue = 10
	}
	opt.FolkStones = uint8(set.Int("folk_stones", int(opt.FolkStones), 1, 10))
	opt.FirstPlayer = uint8(set.Int("first_player", int(opt.FirstPlayer), 1, 2))
	opt.EmptyKingStops = set.Bool("empty_king_stops", opt.EmptyKingStops)
	opt.YoungKing = uint8(set.Int("young_king", int(opt.YoungKing), 0, 20))
	opt.Borrow = set.Either("cannot_refill", opt.Borrow, "end", "borrow")
	opt.EndMover = set.Either("end_check", opt.EndMover, "either", "mover")
	opt.MaxPlies = uint16(set.Int("max_plies", int(opt.MaxPlies), 0, 10000))
	return New(name, opt)
}

// New returns the game with the given options.
func New(name string, opt Options) engine.Rules[State] {
	return engine.Rules[State]{
		Spec: engine.Spec{
			Name:     name,
			Version:  2,
			MaxText:  96,
			Actions:  2 * side,
			Planes:   engine.Shape{C: channels, H: 2, W: fields / 2},
			MaxPlies: int(opt.MaxPlies),

			Features:       feat.groups.Count(),
			ActiveFeatures: activeFeatures,
		},
		English:    engine.ParseAbout(english),
		Vietnamese: engine.ParseAbout(vietnamese),
		Start:      func(rng *rand.Rand) State { return deal(opt, rng) },
		Usual:      func() State { return begin(opt) },
		Parse:      func(text string) (State, error) { return parse(opt, text) },

		FeatureGroups: feat.groups,
	}.WithSymmetries(mirror)
}

// State is a position. The arrays big and scores are indexed by seat; see the package comment.
type State struct {
	board   [fields]uint8
	big     [2]bool  // whether fields 0 and 6 still have their big stone
	scores  [2]int16 // stones won; negative after borrowing
	seat    uint8    // seat of the player to move
	plies   uint16
	outcome engine.Outcome
	opt     Options
}

// begin returns the start position of section 1.
func begin(opt Options) State {
	s := State{big: [2]bool{true, true}, seat: opt.FirstPlayer - 1, opt: opt}
	for f := range s.board {
		s.board[f] = opt.FolkStones
		if king(f) {
			s.board[f] = opt.BigValue
		}
	}
	return s
}

//go:embed openings.txt
var balanced string

// deal returns the start of a game. Half of the games begin with the start position, which favours
// one player, followed by up to four random plies. The other half begin with an opening that is
// balanced: a search of depth 12 sees no advantage for either player (section 7). If the options
// are not Default, all games begin with random plies. If these end the game, engine.Rules.Deal
// deals again.
func deal(opt Options, rng *rand.Rand) State {
	s := begin(opt)
	lines := strings.Fields(balanced)
	if opt == Default && rng.IntN(2) == 0 {
		for _, name := range strings.Split(lines[rng.IntN(len(lines))], ",") {
			a, err := s.ReadAction(name)
			if err != nil {
				panic(err) // cannot happen: the file is embedded
			}
			s = s.Play(a)
		}
		return s
	}
	for range rng.IntN(5) {
		if legal := s.Legal(nil); len(legal) > 0 {
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	return s
}

// king reports whether f is a king field.
func king(f int) bool { return f%6 == 0 }

// low returns the first folk field of a seat.
func low(seat uint8) int { return 1 + 6*int(seat) }

// split returns the field and the direction of an action by the player to move.
func (s State) split(a engine.Action) (field, dir int) {
	return low(s.seat) + int(a)/2, 2*(int(a)%2) - 1
}

// player returns the player who sits in the given seat.
func (s State) player(seat uint8) engine.Player {
	if seat == s.opt.FirstPlayer-1 {
		return engine.First
	}
	return engine.Second
}

// ToMove returns the player who acts next; see engine.State.
func (s State) ToMove() engine.Player { return s.player(s.seat) }

// Outcome returns the result of the game; see engine.State.
func (s State) Outcome() engine.Outcome { return s.outcome }

// Legal appends the legal actions; see engine.State. There are two actions, one per direction, for
// each of the mover's folk fields that has stones.
func (s State) Legal(dst []engine.Action) []engine.Action {
	if s.outcome != engine.Ongoing {
		return dst
	}
	for i := range side {
		if s.board[low(s.seat)+i] > 0 {
			dst = append(dst, engine.Action(2*i), engine.Action(2*i+1))
		}
	}
	return dst
}

// Play returns the state after action a; see engine.State.
func (s State) Play(a engine.Action) State {
	field, dir := s.split(a)
	s.scores[s.seat] += int16(s.sow(field, dir, nil))
	s.seat = 1 - s.seat
	s.plies++
	// A player who must move but whose side is empty refills the side (2.4, A7, A13).
	if s.outcome = s.end(); s.outcome == engine.Ongoing && s.empty(s.seat) {
		s.scores[s.seat] -= side
		for i := range side {
			s.board[low(s.seat)+i] = 1
		}
	}
	return s
}

// empty reports whether all folk fields of a seat are empty.
func (s *State) empty(seat uint8) bool {
	return [side]uint8(s.board[low(seat):]) == [side]uint8{}
}

// onSide returns the number of stones on the folk fields of a seat.
func (s *State) onSide(seat uint8) (stones int) {
	for _, n := range s.board[low(seat) : low(seat)+side] {
		stones += int(n)
	}
	return stones
}

// end returns the outcome according to section 3 of the rules or, if the ply limit is reached,
// according to section 4.
func (s *State) end() engine.Outcome {
	over := s.board[0] == 0 && s.board[6] == 0 || s.opt.MaxPlies > 0 && s.plies >= s.opt.MaxPlies
	if !s.opt.Borrow {
		for seat := range uint8(2) { // an empty side may end the game (question A9)
			if (!s.opt.EndMover || seat == s.seat) && s.empty(seat) && s.scores[seat] < side {
				over = true
			}
		}
	}
	if !over {
		return engine.Ongoing
	}
	first, second := s.Score()
	return engine.OutcomeOf(first - second)
}

// Score returns the scores that the players would have if the game ended now: the stones won plus
// the stones on the player's own folk fields (questions A10 to A12); see engine.Scorer.
func (s State) Score() (first, second int) {
	var score [2]int
	for seat := range uint8(2) {
		score[s.player(seat)] = int(s.scores[seat]) + s.onSide(seat)
	}
	return score[engine.First], score[engine.Second]
}
