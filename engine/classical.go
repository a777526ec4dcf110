package engine

// This file has what a state can offer to a classical search, such as that of package
// alphabeta. All of it is optional and found by assertion. Call the methods through a
// pointer to a state: any(&s).(StaticEvaluator) does not allocate, any(s).(StaticEvaluator) does.

// StaticEvaluator is a state with a static evaluation, from First's side and in hundredths
// of the unit of [Heuristic]. Unlike the heuristic, Evaluate counts more than
// material, such as mobility.
type StaticEvaluator interface {
	Evaluate() int
}

// Estimate returns the static evaluation of a state or, if it offers none, a hundred times its
// HeuristicOf.
func Estimate(state any) int {
	if s, ok := state.(StaticEvaluator); ok {
		return s.Evaluate()
	}
	return 100 * HeuristicOf(state)
}

// HeuristicOf returns the heuristic of a state or, if it offers none, the difference of its
// scores. It is 0 for a state that has neither.
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

// Hasher is a state with a hash. Equal states have equal hashes on every machine and
// in every run. All 64 bits are mixed.
type Hasher interface {
	Hash() uint64
}

// Tactician is a state that knows which actions a static evaluation must not ignore.
type Tactician interface {
	// Loud appends the legal actions that can change the evaluation at once,
	// such as captures. If the mover cannot decline them, because he is
	// threatened or has to act, settled is false and loud has all legal actions.
	Loud(dst []Action) (loud []Action, settled bool)
}

// Selector is a state that can have more legal actions than a search can look at.
type Selector interface {
	// Select appends the legal actions that are worth a look, at least one, in
	// increasing order.
	Select(dst []Action) []Action
}

// LateReporter is a state that reports whether it is late in the game: few men or few turns
// are left, so that exact play decides.
type LateReporter interface {
	Late() bool
}

// Endings is a table of the exact outcomes of all late positions of a game.
type Endings[S any] interface {
	// Fit reports whether the table is of the game that s belongs to.
	Fit(s *S) bool

	// Find returns the outcome of s if both play best, and the number of actions to the
	// end if the winner hurries and the loser delays, or 0 for a draw. ok is false if s
	// is not in the table or the game is over.
	Find(s *S) (o Outcome, plies int, ok bool)
}

// Mix adds a word to a hash. A hash begins at 0.
func Mix(hash, word uint64) uint64 {
	hash = (hash ^ word) * 0x9e3779b97f4a7c15 // odd: no information is lost
	hash ^= hash >> 32
	hash *= 0xd6e8feb86659fd93
	return hash ^ hash>>29
}

// Striker is a state that knows whether a player could win at once.
type Striker interface {
	// Strikes reports whether p could win by a single action if it were his turn. The
	// game must not be over.
	Strikes(p Player) bool
}
