package engine

// This file defines interfaces that states may implement to support classical searches, such as
// package alphabeta. Use a type assertion to find out whether a state implements them. Assert on a
// pointer to the state: any(&s).(StaticEvaluator) does not allocate memory, but
// any(s).(StaticEvaluator) does.

// StaticEvaluator is implemented by states with a static evaluation. Evaluate returns it in
// hundredths of the unit of [Heuristic]; it is positive if First is ahead. Evaluate takes more into
// account than Heuristic, for example mobility.
type StaticEvaluator interface {
	Evaluate() int
}

// Estimate returns the static evaluation of a state. If the state has none, Estimate returns
// 100*HeuristicOf(state).
func Estimate(state any) int {
	if s, ok := state.(StaticEvaluator); ok {
		return s.Evaluate()
	}
	return 100 * HeuristicOf(state)
}

// HeuristicOf returns the heuristic of a state; it is positive if First is ahead. If the state has
// no heuristic, HeuristicOf returns First's score minus Second's score, or 0 if the game has no
// scores.
func HeuristicOf(state any) int {
	switch s := state.(type) {
	case Heuristic:
		return s.Heuristic()
	case Scorer:
		first, second := s.Score()
		return first - second
	}
	return 0
}

// Hasher is implemented by states with a hash. Equal states have equal hashes, on every machine and
// in every run. All 64 bits are well mixed.
type Hasher interface {
	Hash() uint64
}

// Tactician is implemented by states that can list their loud actions: actions that can change the
// evaluation immediately, such as captures. At its depth limit, a classical search still searches
// these actions, because a static evaluation just before a loud action is unreliable.
type Tactician interface {
	// Loud appends the loud actions. If settled is true, the player to move can avoid all of them,
	// so the static evaluation of the position can be trusted. If settled is false, he is
	// threatened or must play a loud action, and loud contains all legal actions.
	Loud(dst []Action) (loud []Action, settled bool)
}

// Selector is implemented by states that can have too many legal actions to search them all.
type Selector interface {
	// Select appends the legal actions that are worth searching, in increasing order. It appends at
	// least one action.
	Select(dst []Action) []Action
}

// LateReporter is implemented by states that report whether the game is in its late phase: so few
// men or turns are left that the exact calculation of moves decides the game.
type LateReporter interface {
	Late() bool
}

// Endings is a table with the exact outcomes of all late positions of a game.
type Endings[S any] interface {
	// Fit reports whether the table covers the game that s belongs to. For example, a table for
	// Onitama covers only games with the same five cards.
	Fit(s *S) bool

	// Find returns the outcome of s under perfect play. It also returns the number of actions until
	// the end of the game if the winner wins as fast as possible and the loser delays as long as
	// possible; plies is 0 for a draw. ok is false if s is not in the table or the game is over.
	Find(s *S) (o Outcome, plies int, ok bool)
}

// Mix adds a word to a hash and returns the new hash. The initial hash is 0.
func Mix(hash, word uint64) uint64 {
	hash = (hash ^ word) * 0x9e3779b97f4a7c15 // multiplying by an odd number loses no information
	hash ^= hash >> 32
	hash *= 0xd6e8feb86659fd93
	return hash ^ hash>>29
}

// Striker is implemented by states that can tell whether a player could win with one action.
type Striker interface {
	// Strikes reports whether p could win with a single action if it were p's turn. The game must
	// not be over.
	Strikes(p Player) bool
}

// Playouter is implemented by states that can play random actions to the end of the game faster
// than a loop over Legal and Play. Tree searches without a network then use it.
type Playouter interface {
	// Playout plays random actions to the end of the game and returns the outcome. In each position,
	// all legal actions have the same probability. All random numbers follow from seed. If the game
	// is already over, Playout returns its outcome.
	Playout(seed uint64) Outcome
}
